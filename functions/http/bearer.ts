/** The credential in the header `authorization`. */
import type { HttpRequestMessage } from './message.ts';

const BEARER = /^Bearer +(\S+)\s*$/i;

export const bearerIn = ({ headers }: Pick<HttpRequestMessage, 'headers'>): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];
