/** Opens the pages that the chosen documents lead to, and puts their texts in place of the teasers of sources. */

import { WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import { isInScope, scopeOf } from '../../shared/agents/research-scope.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { ActivityRecorder } from '../../shared/tasks/activity-recorder.ts';
import type { NotedState, RankedState } from './pipeline-states.ts';
import type { ChosenDocument } from './research-request.ts';
import type { StageRun } from './stages.ts';

/** A document after its page was opened; `page` says what became of it, if there was one to open. */
type OpenedDocument = { document: ChosenDocument; page?: 'opened' | 'outside' | 'refused'; isCached?: boolean };

/** Opens the pages side by side, and reports each. */
export async function openPages(
  state: NotedState,
  run: StageRun,
  documents: readonly ChosenDocument[],
): Promise<NotedState> {
  const opened = await Promise.all(
    documents.map(async (document) => {
      const page = await openDocumentPage(document, run);
      reportPage(run.activity, page.document);
      return page;
    }),
  );
  const count = (isCounted: (page: OpenedDocument) => boolean) => opened.filter(isCounted).length;
  const { work, outOfScope = 0 } = state;
  return {
    ...withDocuments(
      state,
      opened.map(({ document }) => document),
    ),
    outOfScope: outOfScope + count(({ page }) => page === 'outside'),
    work: {
      ...work,
      pages_opened: work.pages_opened + count(({ page }) => page === 'opened' || page === 'outside'),
      pages_refused: work.pages_refused + count(({ page }) => page === 'refused'),
      pages_from_cache: work.pages_from_cache + count(({ isCached }) => isCached === true),
    },
  };
}

/** The state with these in place of the documents of the same numbers. */
export function withDocuments<State extends RankedState>(state: State, documents: readonly ChosenDocument[]): State {
  const byNumber = new Map(documents.map((document) => [document.document, document]));
  return { ...state, documents: state.documents.map((before) => byNumber.get(before.document) ?? before) };
}

/** A text of at least this length is more than the teaser of a page. */
const MIN_WHOLE = 1_500;
/** As much as a source may deliver for an item. */
const MAX_PAGE = 60_000;

/** Its page was opened, and turned out to be of another domain or time than the request allows. */
export const isLeftOut = ({ text_by: by, not_opened: reason }: ChosenDocument): boolean =>
  by === undefined && reason !== undefined;

/** Puts the text of the page in place of the teaser that the source delivered. */
async function openDocumentPage(chosen: ChosenDocument, { ports, input, work }: StageRun): Promise<OpenedDocument> {
  if (chosen.previous) return { document: chosen };
  const { address, signal } = work;
  const document: ChosenDocument = { ...chosen, text_by: 'source' };
  const { sample_data: isSample, source, figures, text, address: url } = document;
  // Samples are made up, and records of figures are whole.
  if (
    isSample ||
    figures.length > 0 ||
    (text.length >= MIN_WHOLE && source !== WEB_SEARCH) ||
    !url.startsWith('https://')
  )
    return { document };
  const { organization } = address;
  const page = await ports.openPage(url, { organization, signal, ownHosts: input.ownHosts ?? [] });
  if ('refused' in page) return { document: { ...document, not_opened: page.explanation }, page: 'refused' };
  const { isCached = false } = page;
  const publishedAt = document.published_at ?? page.publishedAt;
  const dated = { ...document, published_at: publishedAt ?? null };
  if (!isInScope({ url: page.url, publishedAt }, scopeOf(input.asked, ports.clock.now()))) {
    const { text_by: _, ...unread } = dated;
    const reason = 'is outside of the domains or the time range of the request';
    return { document: { ...unread, text: '', not_opened: reason }, page: 'outside', isCached };
  }
  const readDocument: ChosenDocument = {
    ...dated,
    text: page.text.slice(0, MAX_PAGE).toWellFormed(),
    text_by: 'page',
    ...(page.url === URL.parse(url)?.href ? {} : { redirected_to: page.url }),
    fetched_at: new Date(page.fetchedAt).toISOString(),
  };
  return { document: readDocument, page: 'opened', isCached };
}

function reportPage(activity: ActivityRecorder, document: ChosenDocument): void {
  const { address: url, title, text_by: by, not_opened: reason, redirected_to, previous } = document;
  if (previous) return;
  if (reason !== undefined) activity.record({ kind: 'page_refused', url, title, reason });
  else if (by === 'page') activity.record({ kind: 'page_opened', url, title, ...definedFields({ redirected_to }) });
}
