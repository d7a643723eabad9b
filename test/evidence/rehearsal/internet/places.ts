/** Names that the server and the instances of the rehearsal's internet share. */

/** The names and the address count as public. They belong to strangers, who never receive a request. */
export const RECEIVER = 'hooks.errand-rehearsal.org';
export const MODEL_SERVER = 'models.errand-rehearsal.org';
export const PUBLIC_ADDRESS = '93.184.215.14';
/** The body of the response to every GET. */
export const SERVED_TEXT = 'The lease ends on 30 June 2031.';

/** Environment variable with the local port at which the receiver listens. */
export const INTERNET = 'REHEARSAL_INTERNET';
