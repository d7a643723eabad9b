/** The mails of this machine as a list for the console; each is looked at on its own page of the outbox. */
import type { Address } from 'postal-mime';
import { newestMails, OUTBOX_PATH } from '../../../local/outbox.ts';

const MOST_CHARACTERS = 300;

const namesOf = (to: Address[] = []): string => to.map(({ address, name }) => address ?? name).join(', ');

export const mailsIn = (folder: string) => async () =>
  (await newestMails(folder)).map(({ name, mail: { subject, to, date, text, html } }) => ({
    name,
    subject: (subject ?? '').slice(0, MOST_CHARACTERS),
    to: namesOf(to).slice(0, MOST_CHARACTERS),
    at: date ?? null,
    text: (text ?? '').trim().slice(0, MOST_CHARACTERS),
    htmlPath: html === undefined ? null : `${OUTBOX_PATH}${name}/html`,
    rawPath: `${OUTBOX_PATH}${name}/raw`,
  }));
