/** Tells by its text alone whether an address may be called later; every connection judges it again. */
import { judgeAddress } from './judge-address.ts';
import { localWebhookPolicy, publicPolicy } from './policy.ts';

/** `ownHosts`: where the caller reached us. */
export const takesPublicAddress = (address: string, ownHosts: string[]): boolean =>
  judgeAddress(address, publicPolicy({ ownHosts })).ok;

/** The local product alone takes receivers on this very machine, too. */
export const takesLocalAddress = (address: string, ownHosts: string[]): boolean =>
  judgeAddress(address, localWebhookPolicy({ ownHosts })).ok;
