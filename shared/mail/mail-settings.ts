/** The settings of mails. */

import * as v from 'valibot';
import { type Environment, environment } from '../core/environment.ts';
import { nonEmpty, onAws, read, webAddress } from '../core/read-setting.ts';
import { isMailbox } from './mail.ts';

const mailbox = v.pipe(v.string(), v.check(isMailbox, 'an address'));
const SENDER_REMEDY = 'give one mail address, such as notifications@host.org.';

/** Without a sender no mail is sent. */
export const senderConfig = (env: Environment) => ({
  sender: read(env, environment.sender, v.optional(mailbox), SENDER_REMEDY),
});

/** On one machine all mails go into a folder, independent of the sender. */
export const localSenderConfig = (env: Environment) => ({
  sender: read(env, environment.sender, v.optional(mailbox, 'notifications@errand.local'), SENDER_REMEDY),
});

export const mailConfig = (env: Environment) => ({
  ...senderConfig(env),
  mailSet: read(env, environment.mailSet, v.optional(nonEmpty), ''),
  agentsUrl: read(env, environment.agentsUrl, webAddress, onAws),
});
