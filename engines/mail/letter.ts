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
