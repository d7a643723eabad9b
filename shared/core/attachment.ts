/** The headers of a download as an attachment, safe for any file name. */

const UNFIT = /[^\x20-\x7e]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
/** Text that every browser reads the same without `filename*`; some decode a percent sign in the plain parameter. */
const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *;[\x20-\x7e]*)?$/;

/** Content-Disposition of RFC 6266: an ASCII name for old clients, and the full name where ASCII cannot express it. */
export function attachmentHeader(fileName: string): string {
  const name = fileName.toWellFormed().replace(CONTROL, '_');
  const ascii = name.replace(UNFIT, '_').replace(/["\\]/g, '\\$&');
  const header = `attachment; filename="${ascii}"`;
  return PLAIN.test(name) ? header : `${header}; filename*=UTF-8''${extended(name)}`;
}

/** The content type, or a default if it cannot be a header value. */
export const attachmentType = (contentType: string): string =>
  MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream';

/** RFC 5987 allows fewer characters than encodeURIComponent leaves alone. */
const extended = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
