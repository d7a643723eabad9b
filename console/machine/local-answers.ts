/** What the product on one's own machine tells its console: said there and read here. */

export type Caught = {
  seq: number;
  at: string;
  path: string;
  /** Which signatures hold; none means that it is not of this product, or not of today. */
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
