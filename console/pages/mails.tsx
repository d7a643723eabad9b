/** The mails of this machine: a list, and each mail as its recipient sees it, in a sandboxed frame. */

import { useApiData } from '../hooks.ts';
import type { PageProps } from '../location.ts';
import type { ReceivedMail } from '../machine/local-answers.ts';
import { sentMails } from '../machine/local-only.ts';
import { useVisiblePolling } from '../polling.ts';

import { Fault } from '../ui/fault.tsx';
import { Empty } from '../ui/list.tsx';
import { Page, Time } from '../ui/parts.tsx';

export function MailsPage({ query }: PageProps) {
  const { data, fault, again } = useApiData('mails', sentMails);
  useVisiblePolling(again);
  const open = data?.find(({ name }) => name === query.get('open'));
  return (
    <Page
      title="E-mails on this machine"
      about="On one machine e-mails are written to a folder. A stage on AWS sends them."
    >
      <Fault fault={fault} onAgain={again} />
      {data?.length === 0 && (
        <Empty title="No e-mails yet">
          <p class="muted">A notification task sends one to each of its recipients.</p>
        </Empty>
      )}
      <div class="mails">
        <ul class="rows" aria-label="Mails">
          {data?.map((mail) => (
            <Row key={mail.name} mail={mail} isOpen={mail === open} />
          ))}
        </ul>
        {open && <Opened mail={open} />}
      </div>
    </Page>
  );
}

const Row = ({ mail: { name, subject, to, at }, isOpen }: { mail: ReceivedMail; isOpen: boolean }) => (
  <li>
    <a class="mail" href={`#/mails?open=${encodeURIComponent(name)}`} aria-current={isOpen ? 'true' : undefined}>
      <strong class="clip">{subject || 'No subject'}</strong>
      <span class="small muted clip">to {to}</span>
      <span class="small muted">
        <Time at={at} />
      </span>
    </a>
  </li>
);

const Opened = ({ mail: { subject, to, text, htmlPath, rawPath } }: { mail: ReceivedMail }) => (
  <section class="card stack" aria-label={subject || 'No subject'}>
    <h2>{subject || 'No subject'}</h2>
    <p class="small muted">
      to {to} · <a href={rawPath.slice(1)}>As a file</a>
    </p>
    {htmlPath ? (
      <iframe
        key={htmlPath}
        title="The e-mail as the recipient sees it"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        src={htmlPath.slice(1)}
      />
    ) : (
      <pre class="sunk">{text}</pre>
    )}
  </section>
);
