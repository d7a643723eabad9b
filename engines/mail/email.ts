/** An email as data, and the cleaning of foreign text before it goes into one. */

/** A mail as data, before it is text, Markdown or HTML. All of its words are plain; none is markup. */
export type EmailEntry = {
  title: string;
  text: string;
  /** Becomes a link if it is http or https, and nothing otherwise. */
  address?: string;
  /** When and where it was published, in words. */
  about: string;
};

export type EmailSection = {
  heading: string;
  /** What is to be known of all of it. */
  note?: string;
  entries: EmailEntry[];
};

/** A value for each name, in two columns. */
export type EmailFigures = { heading: string; rows: { name: string; value: string; about: string }[] };

export type EmailChart = {
  title: string;
  /** All that the picture shows. */
  inWords: string;
  /** What it is called inside of the mail, and its bytes as base64; without them the words stand alone. */
  picture?: { cid: string; png: string };
};

export type Email = {
  subject: string;
  /** What a list of mails shows beside the subject. */
  preheader: string;
  /** `Weekly report`: above the heading, unless it is the heading. */
  kind: string;
  heading: string;
  /** In words. */
  date: string;
  lead: string[];
  figures?: EmailFigures;
  charts: EmailChart[];
  sections: EmailSection[];
  /** What could not be had. */
  notes: string[];
};

/** What differs from reader to reader. */
export type Envelope = {
  from: { name: string; address: string };
  to: string;
  messageId: string;
  at: number;
  /** Why they get it. */
  reason: string;
  unsubscribeAddress: string;
};

export type EmailFormat = 'html' | 'markdown' | 'text';

/** What stands above a heading: the kind of mail, if the heading itself is not just that, and the day. */
export const overline = ({ kind, heading, date }: Email, shown = (words: string) => words): string =>
  [...(kind === heading ? [] : [shown(kind)]), date].join(' · ');

// Takes out of foreign words what would act instead of being read: line ends in a header, signs that turn or hide text.

/** Controls, marks of direction, what has no width, and what no line holds. */
const UNSAFE_CHARACTERS =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{AD}\u{200B}-\u{200D}\u{2060}-\u{2064}\u{FEFF}\p{Cs}\p{Co}]+/gu;

/** One line, of at most so many characters: what is cut ends with `…`, between two words where there are any. */
export function oneLine(text: string, max: number): string {
  const line = text.toWellFormed().replaceAll(UNSAFE_CHARACTERS, ' ').replaceAll(/\s+/gu, ' ').trim();
  return cut(line, max);
}

/** As paragraphs, each one line. */
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

/** Undefined = no address that a reader should be led to. */
export function safeLink(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain && url.href.length <= 2_048 ? url.href : undefined;
}
