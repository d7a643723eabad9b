/** The WebSocket channel as an AsyncAPI 3 document. */
import { clientMessages, messageTexts, serverMessages } from '../../functions/websocket/contract.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { withTexts } from './descriptions.ts';
import { schemasOf } from './json-schema.ts';

type Json = Record<string, unknown>;

const SUMMARIES: Record<keyof typeof clientMessages | keyof typeof serverMessages, string> = {
  Authenticate: 'Authenticates the connection within ten seconds, with a token of `POST /websocket-auth`.',
  Subscribe: 'Subscribes to channels, and optionally repeats what was missed.',
  Ping: 'Keeps an idle connection open.',
  Authenticated: 'The token was accepted.',
  Subscribed: 'The subscription is active: no message is missed from now on.',
  Pong: 'The answer to a ping.',
  Fault: 'A message of the client was rejected.',
  TaskStarted: 'A worker started a task.',
  TaskProgress: 'The progress of a task in percent.',
  TaskCompleted: 'A task completed.',
  TaskFailed: 'A task failed, or was cancelled (TASK_CANCELLED).',
  TaskEvents: 'What a research did in the stage that has just ended.',
  SystemNotification:
    'An announcement of the operator, a rate limit that is nearly used up, or a webhook receiver that keeps failing.',
  ConnectionEnding: 'Sent five minutes before a connection reaches its maximum age of two hours.',
  ReplayComplete: 'All missed messages have been repeated.',
  ResyncRequired: 'More was missed than can be repeated: call `GET /tasks`.',
};

const namesOf = (messages: object): string[] => Object.keys(messages);
const inChannel = (name: string) => ({ $ref: `#/channels/tasks/messages/${name}` });

export function asyncApi(): Json {
  const names = [...namesOf(clientMessages), ...namesOf(serverMessages)];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Errand: background agents, WebSocket',
      version: packageJson.version,
      description:
        'A connection authenticates, subscribes, and receives updates of its organization’s tasks. Drop a message whose ' +
        '`seq` is not above the last one of its task.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: { local: { host: '127.0.0.1:4001', protocol: 'ws', description: 'The product on one machine.' } },
    channels: {
      tasks: {
        address: '/ws/tasks',
        description: 'The only path. What it sends depends on the channels that were subscribed to.',
        servers: [{ $ref: '#/servers/local' }],
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      say: operation('receive', 'Messages that a client sends.', namesOf(clientMessages)),
      tell: operation('send', 'Messages that the server sends.', namesOf(serverMessages)),
    },
    components: {
      messages: Object.fromEntries(names.map((name) => [name, messageOf(name)])),
      schemas: { ...clientSchemas(), ...schemasOf(serverMessages, 'output') },
    },
  };
}

const clientSchemas = (): Json =>
  Object.fromEntries(
    Object.entries(schemasOf(clientMessages, 'input')).map(([name, schema]) => [
      name,
      withTexts(name, schema, messageTexts[name as keyof typeof clientMessages]),
    ]),
  );

/** AsyncAPI describes the direction from the server's side. */
const operation = (action: 'send' | 'receive', summary: string, names: string[]): Json => ({
  action,
  summary,
  channel: { $ref: '#/channels/tasks' },
  messages: names.map(inChannel),
});

const messageOf = (name: string): Json => ({
  name,
  summary: SUMMARIES[name as keyof typeof SUMMARIES],
  payload: { $ref: `#/components/schemas/${name}` },
});
