/** What goes into the extractive model and what comes out of it. */

/** A piece of a document and where it stands there: 'page 3', 'sheet Costs', 'lines 10-40', or ''. */
export type Passage = { source: string; place: string; text: string };

/** A file's name without its ending, which tells nothing of what it is about. */
export const titleOfFile = (source: string): string => source.replace(/\.\w+$/, '');

export type QuoteCitation = { source: string; place: string; excerpt: string };

/** `[n]` in the text is the n-th of `cited`. */
export type ExtractResult = { text: string; cited: QuoteCitation[] };
