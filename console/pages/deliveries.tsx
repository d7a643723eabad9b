/** The webhooks of one task, on a page of their own. */
import { shortId } from '../format.ts';
import { Deliveries, type Kind } from '../hooks/deliveries.tsx';
import type { PageProps } from '../pages.ts';
import { Page } from '../ui/page.tsx';

const pageOf = (kind: Kind) =>
  function DeliveriesPage({ params: { id = '' } }: PageProps) {
    return (
      <Page
        title="Deliveries"
        about={
          <>
            Of the task <a href={`#/${kind}/${encodeURIComponent(id)}`}>{shortId(id)}</a>
          </>
        }
      >
        <Deliveries kind={kind} taskId={id} />
      </Page>
    );
  };

export const AgentDeliveriesPage = pageOf('agents');
export const PromptDeliveriesPage = pageOf('prompts');
