/** Every noun of the command line. */
import { announce } from './announce.ts';
import { audit } from './audit.ts';
import type { Noun } from './command.ts';
import { delivery } from './delivery.ts';
import { doctor } from './doctor.ts';
import { key } from './key.ts';
import { ruleset, workflow } from './knowledge.ts';
import { org } from './org.ts';
import { source } from './source.ts';
import { sso } from './sso.ts';
import { suppression } from './suppression.ts';
import { task } from './task.ts';
import { user } from './user.ts';
import { webhookSecret } from './webhook-secret.ts';
import { webhooks } from './webhooks.ts';

/** A map, because an object would also know words like "constructor". */
export const NOUNS: ReadonlyMap<string, Noun> = new Map(
  Object.entries({
    org,
    key,
    user,
    sso,
    'webhook-secret': webhookSecret,
    workflow,
    ruleset,
    source,
    task,
    delivery,
    webhooks,
    suppression,
    announce,
    audit,
    doctor,
  }),
);
