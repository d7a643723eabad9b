/** The URLs of the APIs, read from the head of the page. */
export const config: Config = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="errand"]')?.content ?? '');

/** The service accepts this address for a webhook, and sends nothing to it: for tasks that are only read here. */
export const discardUrl = `${config.filesUrl}/webhooks/discard`;

/** The server writes it into the page. */
export type Config = {
  /** The Files & Tasks API with its version: https://errand.acme.org/api/v1. */
  filesUrl: string;
  /** The background-agent API: scheme, host and port. */
  agentsUrl: string;
  wsUrl: string;
  /** Present on one machine only. */
  local?: {
    /** Receives webhooks and shows them. */
    catcherUrl?: string;
    demoUsers: { organization: string; username: string; password: string }[];
  };
};
