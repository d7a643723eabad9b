/** The names of sources as readers of reports and mails know them. */

import { KNOWN_SOURCES, STORED_FILES, WEB_SEARCH } from '../shared/agents/agent-input.ts';

/** `market_data` as `Market data`. */
export function sourceName(source: string): string {
  const words = source.replaceAll(/[_-]+/g, ' ').trim();
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

type Published = { source: string; title: string; address: string; sample_data: boolean };

/** Who published a document: the file itself, the site of a document from many publishers, or else its source. */
export function publisherName({ source, title, address, sample_data: isSample }: Published): string {
  if (source === STORED_FILES) return title;
  const hasManyPublishers = source === WEB_SEARCH || KNOWN_SOURCES.includes(source);
  const host = hasManyPublishers && !isSample ? URL.parse(address)?.hostname.replace(/^www\./, '') : '';
  return host || sourceName(source);
}
