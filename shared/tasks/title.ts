/** The title of a task in lists: the beginning of what it was asked. */

const MAX_TITLE = 120;

/** The fields of the inputs of all agents that say what a task is about. */
type Titled = {
  prompt?: string;
  asked?: {
    query?: string;
    documents?: { url: string }[];
    notification_type?: string | null;
    content?: { subject?: string | null; message?: string | null };
  };
};

/** Tasks with a long input that were submitted before titles were stored have none. */
export const titleOf = ({ title, input }: { title?: string; input?: unknown }): string | null =>
  title ?? titleIn(input) ?? null;

export function titleIn(input: unknown): string | undefined {
  const { prompt, asked: { query, documents, content, notification_type: type } = {} } = (input ?? {}) as Titled;
  const text = prompt ?? query ?? (documents && namesOf(documents)) ?? content?.subject ?? content?.message ?? type;
  const line = text?.trim().replaceAll(/\s+/g, ' ');
  if (!line) return undefined;
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
}

function namesOf([first, ...others]: { url: string }[]): string {
  const path = URL.parse(first?.url ?? '')?.pathname ?? '';
  const name = decoded(path.slice(path.lastIndexOf('/') + 1)) || (first?.url ?? '');
  return others.length === 0 ? name : `${name} and ${others.length} more`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
