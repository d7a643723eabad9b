/** The messages that clients of the WebSocket channel may send. */
import * as v from 'valibot';
import { CHANNELS, type Channel } from '../../shared/realtime/connection-slots.ts';

const MAX_TOKEN = 4_096;
export const MAX_CHANNELS = 10;
const MAX_SHOWN = 64;

const NO_TOKEN = 'authenticate needs a token.';
const NO_CHANNELS = 'subscribe needs a list of channels.';
const NO_TIME = 'resume_from needs since, the timestamp of the last message.';

const authenticateMessage = v.object(
  {
    type: v.literal('authenticate'),
    token: v.pipe(v.string(NO_TOKEN), v.maxLength(MAX_TOKEN, 'token is not a valid websocket_token.')),
  },
  NO_TOKEN,
);

const instant = v.pipe(
  v.string('resume_from.since is the timestamp of the last message.'),
  v.isoTimestamp('resume_from.since is a time such as 2026-06-01T12:00:00.000Z.'),
  v.transform((text) => Date.parse(text)),
  v.number('resume_from.since is a time such as 2026-06-01T12:00:00.000Z.'),
);

const subscribeMessage = v.object(
  {
    type: v.literal('subscribe'),
    channels: v.pipe(
      v.array(v.string('A channel must be a string.'), NO_CHANNELS),
      v.minLength(1, 'subscribe needs a channel.'),
      v.maxLength(MAX_CHANNELS, `At most ${MAX_CHANNELS} channels at once.`),
      // Unknown channels are reported in an error; the others are subscribed.
      v.transform((names) => ({ known: [...new Set(names.filter(isChannel))], unknown: names.filter(isUnknown) })),
    ),
    resume_from: v.optional(v.object({ since: instant }, NO_TIME)),
  },
  NO_CHANNELS,
);

/** The messages that clients may send. */
export const clientSchemas = {
  authenticate: authenticateMessage,
  subscribe: subscribeMessage,
  ping: v.object({ type: v.literal('ping') }),
};

const clientMessage = v.variant(
  'type',
  [clientSchemas.authenticate, clientSchemas.subscribe, clientSchemas.ping],
  'A message has a type: authenticate, subscribe or ping.',
);

type ClientMessage = v.InferOutput<typeof clientMessage>;
export type SubscribeMessage = v.InferOutput<typeof subscribeMessage>;

const isChannel = (name: string): name is Channel => (CHANNELS as readonly string[]).includes(name);
const isUnknown = (name: string): boolean => !isChannel(name);

/** The error text for unknown channels. */
export function unknownChannels(names: string[]): string {
  const quotedNames = names.map((name) => JSON.stringify(name.slice(0, MAX_SHOWN))).join(', ');
  return `Unknown channel ${quotedNames}; the channels are ${CHANNELS.join(', ')}.`;
}

export function parseClientMessage(text: string): ClientMessage | { fault: string } {
  const parsed = v.safeParse(clientMessage, parseJsonMessage(text));
  return parsed.success ? parsed.output : { fault: parsed.issues[0].message };
}

/** Returns `undefined` for invalid JSON, because no JSON value is undefined. */
function parseJsonMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
