/** The types of the local endpoints that serve mails and received webhooks. */

export type Caught = {
  seq: number;
  at: string;
  path: string;
  /** The valid signatures; none means that the webhook is not from this product or is too old. */
  signatures: string[];
  headers: [name: string, value: string][];
  body: string;
  bytes: number;
  isCut: boolean;
  answered: number;
};

export type ReceivedMail = {
  name: string;
  subject: string;
  to: string;
  at: string | null;
  text: string;
  htmlPath: string | null;
  rawPath: string;
};
