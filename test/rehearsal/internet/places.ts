/** Names that both ends of the rehearsal's internet know. */

/** Public by its text and by its address; both are somebody's who never hears of it. */
export const RECEIVER = 'hooks.errand-rehearsal.org';
export const RECEIVER_ADDRESS = '93.184.215.14';
/** What it answers to every GET. */
export const SERVED_TEXT = 'The lease ends on 30 June 2031.';

/** The environment's name for the port of this machine at which the receiver listens. */
export const INTERNET = 'REHEARSAL_INTERNET';
