/** Starts the AWS emulators on free ports of this machine. They end with `stop`, or with the process that started them. */
import { join } from 'node:path';
import { type Command, type Emulator, end, launch } from './emulator.ts';
import { type Installed, installEmulators } from './install.ts';
import { openS3 } from './s3-front.ts';

export type Emulators = {
  /** DynamoDB Local. */
  dynamoUrl: string;
  /** S3Proxy, because moto verifies no signed address; for the buckets that keep versions, which S3Proxy cannot, moto. */
  s3Url: string;
  /** moto, for everything else. */
  awsUrl: string;
  /** Sends SIGSTOP or SIGCONT: requests in between get no answer. */
  signal(name: 'dynamodb' | 'moto', signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Kills DynamoDB Local, and starts it again on its stored data, which requires `folder`. */
  killDynamo(): Promise<{ startAgain(): Promise<void> }>;
  stop(): Promise<void>;
};

type Options = { takesSessions?: boolean; folder?: string };

/**
 * `takesSessions`: S3Proxy then ignores the header of a session token instead of refusing it.
 * `folder`: where DynamoDB Local stores its data instead of in memory.
 */
export async function startEmulators({ takesSessions = false, folder }: Options = {}): Promise<Emulators> {
  const installed = await installEmulators();
  const dynamo = dynamodbCommand(installed, folder);
  const [first, s3, moto] = await Promise.all([
    launch('DynamoDB Local', dynamo),
    launch('S3Proxy', s3Command(installed, takesSessions)),
    launch('moto', motoCommand(installed)),
  ]);
  let dynamodb = first;
  const all = [dynamodb, s3, moto];
  const front = await openS3({ s3ProxyUrl: s3.url, motoUrl: moto.url });
  const stop = async () => {
    front.stop();
    await Promise.all([dynamodb, s3, moto].map(end));
  };
  try {
    await Promise.all(all.map((emulator) => emulator.ready));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    dynamoUrl: dynamodb.url,
    s3Url: front.url,
    awsUrl: moto.url,
    signal: (name, signal) => void (name === 'dynamodb' ? dynamodb : moto).process.kill(signal),
    async killDynamo() {
      await end(dynamodb);
      return {
        async startAgain() {
          dynamodb = await launch('DynamoDB Local', dynamo, dynamodb.url);
          await dynamodb.ready;
        },
      };
    },
    stop,
  };
}

/** A separate moto, for tests that need an empty account or change how moto treats all requests. */
export async function startMoto(): Promise<Emulator> {
  const moto = await launch('moto', motoCommand(await installEmulators()));
  await moto.ready;
  return moto;
}

const dynamodbCommand =
  ({ dynamodb }: Installed, folder?: string): Command =>
  ({ port }) => [
    ...java(dynamodb, `-Djava.library.path=${dynamodb}`),
    'software.amazon.dynamodb.services.local.main.ServerRunner',
    ...(folder === undefined ? ['-inMemory'] : ['-dbPath', folder]),
    ...['-sharedDb', '-disableTelemetry', '-port', port],
  ];

const s3Command =
  ({ s3 }: Installed, takesSessions: boolean): Command =>
  ({ origin }) => [
    ...java(s3, `-Ds3proxy.endpoint=${origin}`, `-Ds3proxy.ignore-unknown-headers=${takesSessions}`),
    ...['org.gaul.s3proxy.Main', '--properties', join(import.meta.dirname, 's3.properties')],
  ];

const motoCommand =
  ({ python }: Installed): Command =>
  ({ hostname, port }) => [python, '-m', 'moto.server', '-H', hostname, '-p', port];

const java = (jars: string, ...settings: string[]): string[] => ['java', ...settings, '-cp', join(jars, '*')];
