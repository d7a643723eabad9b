/** The WebSocket channel as an AsyncAPI 3 document. */
import { clientMessages, serverMessages } from '../../functions/websocket/contract.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { schemasOf } from './json-schema.ts';

type Json = Record<string, unknown>;

const SUMMARIES: Record<keyof typeof clientMessages | keyof typeof serverMessages, string> = {
  Authenticate: 'Says whom the connection is for, within ten seconds, with a token of `POST /websocket-auth`.',
  Subscribe: 'Asks for channels, and for what was missed since the last message.',
  Ping: 'Keeps a silent connection open.',
  Authenticated: 'The token holds.',
  Subscribed: 'From now on nothing is missed.',
  Pong: 'The answer to a ping.',
  Fault: 'What the client said was not taken.',
  TaskStarted: 'A task began.',
  TaskProgress: 'How far a task is, in percent.',
  TaskCompleted: 'A task completed.',
  TaskFailed: 'A task failed, or was cancelled (TASK_CANCELLED).',
  SystemNotification:
    'The operator announces something, a limit is nearly spent, a receiver of webhooks keeps failing.',
  ConnectionEnding: 'Comes five minutes before the connection has lived for two hours.',
  ReplayComplete: 'All that was missed has been told.',
  ResyncRequired: 'More was missed than can be told: ask `GET /tasks`.',
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
        'A connection authenticates, subscribes, and hears what becomes of its organization’s tasks. Drop a message whose ' +
        '`seq` is not above the last one of its task.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: { local: { host: '127.0.0.1:4001', protocol: 'ws', description: 'The product on one machine.' } },
    channels: {
      tasks: {
        address: '/ws/tasks',
        description: 'The one address. What is told on it depends on the channels that were subscribed to.',
        servers: [{ $ref: '#/servers/local' }],
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      say: operation('receive', 'What a client says.', namesOf(clientMessages)),
      tell: operation('send', 'What the server says.', namesOf(serverMessages)),
    },
    components: {
      messages: Object.fromEntries(names.map((name) => [name, messageOf(name)])),
      schemas: { ...schemasOf(clientMessages, 'input'), ...schemasOf(serverMessages, 'output') },
    },
  };
}

/** As AsyncAPI counts it, from the server's side. */
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
