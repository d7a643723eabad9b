/** Tells by its text alone whether an address may be called later; every connection judges it again. */
import { judgeAddress } from './judge-address.ts';
import { localWebhookPolicy, publicPolicy } from './policy.ts';

/** `ownHost` is where the caller reached us. */
export const takesPublicAddress = (address: string, ownHost: string): boolean =>
  judgeAddress(address, publicPolicy({ ownHosts: [ownHost] })).ok;

/** The local product alone takes receivers on this very machine, too. */
export const takesLocalAddress = (address: string, ownHost: string): boolean =>
  judgeAddress(address, localWebhookPolicy({ ownHosts: [ownHost] })).ok;
