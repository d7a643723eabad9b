/** The types of the local endpoints that serve mails, received webhooks, and what is known of models. */

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

/** `sentTo` is the host that receives what a task reads; null if that is this machine. */
export type LocalModel = { model: string; price: string; sentTo: string | null };
