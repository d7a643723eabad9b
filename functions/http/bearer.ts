/** The credential in the header `authorization`. */
import type { Incoming } from './message.ts';

const BEARER = /^Bearer +(\S+)\s*$/i;

export const bearerIn = ({ headers }: Pick<Incoming, 'headers'>): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];
