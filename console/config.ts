/** The URLs of the APIs, read from the head of the page. */
export const config: Config = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="errand"]')?.content ?? '');

/** Written into the page by its server. */
export type Config = {
  /** The Files & Tasks API, with its version: https://errand.acme.org/api/v1. */
  filesUrl: string;
  /** The API of background agents: scheme, host and port. */
  agentsUrl: string;
  wsUrl: string;
  /** On one machine only. */
  local?: {
    /** Takes webhooks and shows them. */
    catcherUrl?: string;
    people: { organization: string; username: string; password: string }[];
  };
};
