/** An email as data, and the cleaning of foreign text before it goes into one. */

export type EmailEntry = {
  title: string;
  text: string;
  /** Becomes a link if it is an http or https URL, and is dropped otherwise. */
  address?: string;
  /** When and where it was published, in words. */
  about: string;
};

export type EmailSection = {
  heading: string;
  /** A remark about the whole section. */
  note?: string;
  entries: EmailEntry[];
};

/** A table of names and values. */
export type EmailFigures = { heading: string; rows: { name: string; value: string; about: string }[] };

export type EmailChart = {
  title: string;
  /** The chart described in words. */
  inWords: string;
  /** The Content-ID and the bytes as base64. Without a picture, only the words are shown. */
  picture?: { cid: string; png: string };
};

export type Email = {
  subject: string;
  /** The preview text that mail clients show next to the subject. */
  preheader: string;
  /** Shown above the heading, such as `Weekly report`, unless it equals the heading. */
  kind: string;
  heading: string;
  /** The date in words. */
  date: string;
  lead: string[];
  figures?: EmailFigures;
  charts: EmailChart[];
  sections: EmailSection[];
  /** Names content that could not be retrieved. */
  notes: string[];
};

/** The part of an email that differs between recipients. */
export type Envelope = {
  from: { name: string; address: string };
  to: string;
  messageId: string;
  at: number;
  /** Why the recipient gets this email. */
  reason: string;
  unsubscribeAddress: string;
};

export type EmailFormat = 'html' | 'markdown' | 'text';

/** The line above the heading: the kind of email, unless the heading is the same, and the date. */
export const overline = ({ kind, heading, date }: Email, shown = (words: string) => words): string =>
  [...(kind === heading ? [] : [shown(kind)]), date].join(' · ');

/**
 * Control characters, direction marks, zero-width characters, and line separators. They could break a header, or hide
 * or reorder text.
 */
const UNSAFE_CHARACTERS =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{AD}\u{200B}-\u{200D}\u{2060}-\u{2064}\u{FEFF}\p{Cs}\p{Co}]+/gu;

/**
 * Returns one line of at most `max` characters. Longer text is cut between two words if possible, and ends with `…`.
 */
export function oneLine(text: string, max: number): string {
  const line = text.toWellFormed().replaceAll(UNSAFE_CHARACTERS, ' ').replaceAll(/\s+/gu, ' ').trim();
  return cut(line, max);
}

/** Returns the paragraphs, each as one line. */
export function paragraphsOf(text: string, max: number): string[] {
  const paragraphs = text.split(/\r\n?|\n/u).map((line) => oneLine(line, max));
  const shown: string[] = [];
  let left = max;
  for (const paragraph of paragraphs.filter((line) => line !== '')) {
    if (left < 20) break;
    shown.push(cut(paragraph, left));
    left -= paragraph.length;
  }
  return shown;
}

function cut(line: string, max: number): string {
  if (line.length <= max) return line;
  const short = line
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\u{FFFD}$/u, '');
  const space = short.lastIndexOf(' ');
  return `${(space > max / 2 ? short.slice(0, space) : short).trimEnd()}…`;
}

/** Returns undefined if the URL must not become a link. */
export function safeLink(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain && url.href.length <= 2_048 ? url.href : undefined;
}
