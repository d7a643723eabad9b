/** The limits of a mail, those of the mail service. */

import type { Mail, MailRefusal } from '../ports.ts';

export const MAIL_LIMITS = { bytes: 10_485_760, addressCharacters: 254, tags: 10 } as const;

/** Exactly one mailbox: no display name, no list, no line break. */
const MAILBOX = /^[^\s"(),:;<>@[\\\]\p{Cc}]{1,64}@[a-z\d-]{1,63}(\.[a-z\d-]{1,63})+$/iu;
const TAG = /^[\w-]{1,256}$/;

export const isMailbox = (text: string): boolean =>
  text.length <= MAIL_LIMITS.addressCharacters && MAILBOX.test(text) && !/(^|[@.])-|-([.@]|$)/.test(domainOf(text));

/** Returns `undefined` if the mail is valid. */
export function faultOfMail({ raw, from, to, tags }: Mail): MailRefusal | undefined {
  const names = Object.entries(tags);
  if (names.length > MAIL_LIMITS.tags || !names.flat().every((text) => TAG.test(text))) {
    throw new RangeError('A mail has at most ten tags, of letters, digits, _ and -.');
  }
  if (!isMailbox(to)) return 'badAddress';
  if (!isMailbox(from)) return 'badSender';
  return raw.byteLength > MAIL_LIMITS.bytes ? 'tooLarge' : undefined;
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@'));
