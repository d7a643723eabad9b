/** The title of a task, for lists. */

const MAX_TITLE = 120;

type TitledDocument = { url?: string | null | undefined; file_id?: string | null | undefined };

type TitledMail = { subject?: string | null; message?: string | null; recipients?: string[] };

/** The fields that contain the subject of a task in the inputs of all agents. */
type Titled = {
  prompt?: string;
  preview?: true;
  asked?: {
    query?: string;
    documents?: TitledDocument[];
    notification_type?: string | null;
    content?: TitledMail;
  };
};

/** Long inputs that were stored before titles existed have none. */
export const titleOf = ({ title, input }: { title?: string; input?: unknown }): string | null =>
  title ?? titleIn(input) ?? null;

/** `fileNames`: the names of the stored files among the documents, by id. */
export function titleIn(input: unknown, fileNames: ReadonlyMap<string, string> = new Map()): string | undefined {
  const { prompt, asked: request = {}, preview } = (input ?? {}) as Titled;
  const { query, documents, content, notification_type: type } = request;
  const text = prompt ?? query ?? (documents && namesOf(documents, fileNames)) ?? (content && mailTitle(content, type));
  const line = text?.trim().replaceAll(/\s+/g, ' ');
  if (!line) return undefined;
  const title = preview ? `Preview: ${line}` : line;
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1).toWellFormed()}…` : title;
}

/** What its sender called an e-mail, or else whom it goes to: the agent writes the subject later. */
function mailTitle({ subject, message, recipients = [] }: TitledMail, type: string | null | undefined): string {
  const [firstRecipient = '', ...otherRecipients] = recipients;
  const readers =
    otherRecipients.length === 0 ? firstRecipient : `${firstRecipient} and ${otherRecipients.length} more`;
  const kind = type?.replaceAll(/[_-]+/g, ' ') ?? 'digest';
  return subject ?? message ?? `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} to ${readers}`;
}

function namesOf(
  [firstDocument = {}, ...otherDocuments]: TitledDocument[],
  fileNames: ReadonlyMap<string, string>,
): string {
  const name = firstDocument.url
    ? nameInUrl(firstDocument.url)
    : (fileNames.get(firstDocument.file_id ?? '') ?? 'A stored file');
  return otherDocuments.length === 0 ? name : `${name} and ${otherDocuments.length} more`;
}

function nameInUrl(url: string): string {
  const path = URL.parse(url)?.pathname ?? '';
  return decodeOrSame(path.slice(path.lastIndexOf('/') + 1)) || url;
}

function decodeOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
