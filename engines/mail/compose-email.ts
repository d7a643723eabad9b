/** Builds the bytes and the text part of an email for one recipient. Equal input gives equal bytes. */
import { createHash } from 'node:crypto';
import {
  type Email,
  type EmailChart,
  type EmailFormat,
  type EmailSection,
  type Envelope,
  oneLine,
  overline,
  safeLink,
} from './email.ts';
import { emailHtml } from './html.ts';

const MAX_SUBJECT = 150;
const MAX_NAME = 80;

export async function composeEmail(email: Email, envelope: Envelope, format: EmailFormat): Promise<Uint8Array> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { from, to, messageId, at, unsubscribeAddress } = envelope;
  const composer = new MailComposer({
    from: { name: headerLine(from.name, MAX_NAME), address: from.address },
    to: { name: '', address: to },
    subject: headerLine(email.subject, MAX_SUBJECT),
    messageId,
    date: new Date(at),
    headers: {
      'List-Unsubscribe': { prepared: true, value: `<${unsubscribeAddress}>` },
      'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
      'Auto-Submitted': 'auto-generated',
      // SES replaces the Message-ID, so this header keeps the original one.
      'X-Errand-Mail': messageId.replaceAll(/[<>]/g, ''),
    },
    text: format === 'markdown' ? emailMarkdown(email, envelope) : emailText(email, envelope),
    ...(format === 'text' ? {} : htmlOf(email, envelope)),
    baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 24),
    // Content of an email must never read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: '\r\n',
  });
  return composer.compile().build();
}

/** Breaks up text that looks like an encoded word (RFC 2047), as mail clients would decode it. */
const headerLine = (text: string, max: number): string => oneLine(text, max).replaceAll('=?', '= ?');

const htmlOf = (email: Email, envelope: Envelope) => ({
  html: emailHtml(email, envelope),
  attachments: email.charts.flatMap(({ picture }, at) =>
    picture
      ? [
          {
            cid: picture.cid,
            filename: `chart-${at + 1}.png`,
            content: Buffer.from(picture.png, 'base64'),
            contentType: 'image/png',
            contentDisposition: 'inline',
          },
        ]
      : [],
  ),
});

type Reader = Pick<Envelope, 'reason' | 'unsubscribeAddress'>;

function emailMarkdown(email: Email, { reason, unsubscribeAddress }: Reader): string {
  const { heading, lead, figures, charts, sections, notes } = email;
  const parts = [
    `_${escapeMarkdown(overline(email))}_`,
    `# ${escapeMarkdown(heading)}`,
    ...lead.map(escapeMarkdown),
    ...(figures ? [`## ${escapeMarkdown(figures.heading)}`, figuresMarkdown(figures.rows)] : []),
    ...charts.map(chartMarkdown),
    ...sections.map(sectionMarkdown),
    ...(notes.length > 0 ? ['## Not in this mail', notes.map((note) => `- ${escapeMarkdown(note)}`).join('\n')] : []),
    '---',
    `${escapeMarkdown(reason)} [Unsubscribe](<${unsubscribeAddress}>)`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Excludes characters inside words, and those that cannot begin an entity or a heading. */
const MARKUP_CHARACTERS = /[\\`*[\]<>|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)|(?<=^|\s)#(?=#*(?:\s|$))/gu;

/** Escapes what Markdown, or HTML inside it, would interpret. */
const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(MARKUP_CHARACTERS, '\\$&')
    .replace(/^(\s*)([-+](?=\s|$)|[-=](?=[-=\s]*$))/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2');

const figuresMarkdown = (rows: { name: string; value: string; about: string }[]): string =>
  [
    '| | | |',
    '| --- | ---: | --- |',
    ...rows.map((row) => `| ${[row.name, row.value, row.about].map(escapeMarkdown).join(' | ')} |`),
  ].join('\n');

const chartMarkdown = ({ title, inWords }: EmailChart): string =>
  `## ${escapeMarkdown(title)}\n\n${escapeMarkdown(inWords)}`;

function sectionMarkdown({ heading, note, entries }: EmailSection): string {
  const shown = entries.map(({ title, text, about, address }) => {
    const link = safeLink(address);
    const name = link === undefined ? `**${escapeMarkdown(title)}**` : `**[${escapeMarkdown(title)}](<${link}>)**`;
    const lines = [about, text].filter((line) => line !== '').map((line) => `  ${escapeMarkdown(line)}`);
    return [`- ${name}`, ...lines].join('  \n');
  });
  return [
    `## ${escapeMarkdown(heading)}`,
    ...(note === undefined ? [] : [escapeMarkdown(note)]),
    shown.join('\n'),
  ].join('\n\n');
}

function emailText(email: Email, { reason, unsubscribeAddress }: Reader): string {
  const { heading, lead, figures, charts, sections, notes } = email;
  const parts = [
    overline(email, (kind) => kind.toUpperCase()),
    underlined(heading, '='),
    ...lead,
    ...(figures ? [underlined(figures.heading, '-'), figures.rows.map(figureLine).join('\n')] : []),
    ...charts.map(chartText),
    ...sections.map(sectionText),
    ...(notes.length > 0 ? [underlined('Not in this mail', '-'), notes.map((note) => `- ${note}`).join('\n')] : []),
    `-- \n${reason}\nUnsubscribe: ${unsubscribeAddress}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const underlined = (text: string, line: string): string => `${text}\n${line.repeat(Math.min(72, text.length))}`;

const figureLine = ({ name, value, about }: { name: string; value: string; about: string }): string =>
  `- ${name}: ${value}${about === '' ? '' : ` (${about})`}`;

const chartText = ({ title, inWords }: EmailChart): string => `${underlined(title, '-')}\n\n${inWords}`;

function sectionText({ heading, note, entries }: EmailSection): string {
  const shown = entries.map(({ title, text, about, address }) =>
    [`* ${title}`, about, text, safeLink(address) ?? ''].filter((line) => line !== '').join('\n  '),
  );
  return [underlined(heading, '-'), ...(note === undefined ? [] : [note]), ...shown].join('\n\n');
}
