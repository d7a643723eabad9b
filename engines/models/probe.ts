/**
 * Tries a model, and says in a line each what works: the address, the key, the name, streaming, tools, schemas, images. No
 * line holds the key.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { type ModelConnection, originOf } from '../../shared/accounts/model-connections.ts';
import { nearestName } from '../../shared/core/nearest-name.ts';
import { SECOND_MS } from '../../shared/core/time.ts';
import type { FailureReason, OutboundFailure } from '../outbound/failure.ts';
import type { OutboundRequest } from '../outbound/request.ts';
import { modelNames } from './list-models.ts';
import { priceWords } from './model-facts.ts';
import {
  type Answer,
  ASKED,
  type Call,
  COLOUR,
  callsTo,
  type Fault,
  IN_SCHEMA,
  type Observation,
  PATIENCE_MS,
  PICTURE_ALONE,
  PLAIN,
  SHOWN,
  withObservation,
} from './probe-calls.ts';
import { type OwnProfiles, profileOf } from './profile.ts';

/** `look`: it works, but something is less than it could be. */
export type ModelCheck = { check: string; state: 'ok' | 'look' | 'wrong'; detail: string };

type Probe = {
  /** `NAME/model`, for which an operator may have entered a price and abilities. */
  id: string;
  connection: ModelConnection;
  request: OutboundRequest;
  /** Connects the model over this request; undefined if the connection lacks something. */
  connect(request: OutboundRequest): Promise<LanguageModelV4 | undefined>;
  ownProfiles?: OwnProfiles;
};

export const answers = (checks: readonly ModelCheck[]): boolean => checks.every(({ state }) => state !== 'wrong');

const ok = (check: string, detail: string): ModelCheck => ({ check, state: 'ok', detail });
const look = (check: string, detail: string): ModelCheck => ({ check, state: 'look', detail });
const wrong = (check: string, detail: string): ModelCheck => ({ check, state: 'wrong', detail });

export async function probeModel(probe: Probe): Promise<ModelCheck[]> {
  const observation: Observation = {};
  const model = await probe.connect(withObservation(probe.request, observation));
  if (!model)
    return [wrong('reached', 'the connection lacks an address or a key: add it again with --url or --key-stdin')];
  const profile = profileOf(probe.id, probe.ownProfiles);
  const call = callsTo(model, observation);
  const full = await call(profile.vision ? SHOWN : ASKED);
  // A model may refuse the tool or the picture alone.
  const first = full.fault?.isRefusal ? await call(PLAIN) : full;
  if (first.fault) return faultChecks(probe, first.fault);
  const { connection } = probe;
  return [
    ok('reached', originOf(connection)),
    ok('key', connection.key === undefined ? 'none is sent' : 'accepted'),
    ok('model', probe.id),
    first.streams
      ? ok('streams', 'yes')
      : look('streams', 'it answers in one piece: a long answer may run into a time limit on its way'),
    await toolCheck(call, full),
    await schemaCheck(call, profile.schema),
    await imageCheck(call, full, profile.vision),
    priceCheck(probe),
  ];
}

const KEY_REFUSED = new Set([401, 403]);
/** Google refuses a key with status 400. */
const ABOUT_KEY = /api.?key/i;

async function faultChecks(probe: Probe, { observation, message, isLate }: Fault): Promise<ModelCheck[]> {
  const { connection, id } = probe;
  const origin = originOf(connection);
  const { failure, status } = observation;
  if (failure) return [wrong('reached', `${failureWords(failure, origin)}`)];
  if (isLate) return [wrong('reached', `${origin} did not answer within ${PATIENCE_MS / SECOND_MS} s: try it again`)];
  if (status === undefined)
    return [wrong('reached', `${origin} could not be asked: look at the credentials of this shell`)];
  const reached = ok('reached', origin);
  if (KEY_REFUSED.has(status) || (status === 400 && ABOUT_KEY.test(message)))
    return [reached, wrong('key', keyWords(connection, status))];
  const key = ok('key', connection.key === undefined ? 'none is sent' : 'not refused');
  if (status === 404) return [reached, key, wrong('model', await missingWords(probe))];
  if (status === 429)
    return [
      reached,
      key,
      wrong('model', `${id} answered with status 429: a limit or the credit of the account is used up`),
    ];
  const provider = withoutKey(message, connection.key);
  return [
    reached,
    key,
    wrong('model', `${id} answered with status ${status}${provider === '' ? '' : `: ${provider}`}`),
  ];
}

const FAILURES: Partial<Record<FailureReason, string>> = {
  resolve: 'the host has no address: is it spelled right, and does it exist in this network?',
  resolveTime: 'the host could not be looked up in time: is there a network?',
  connect: 'nothing listens there: is the server running?',
  connectTime: 'no connection came about: is a firewall between?',
  tls: 'its certificate is not trusted: set NODE_EXTRA_CA_CERTS to the file of its authority',
  broken: 'the connection was cut, or the server does not speak HTTP: is it http:// or https://?',
};

function failureWords(failure: OutboundFailure, origin: string): string {
  if (failure.kind === 'refused') return `${origin} is not asked: link-local and metadata addresses are refused`;
  return `${origin}: ${FAILURES[failure.reason] ?? 'no answer came in time: try it again'}`;
}

const keyWords = ({ key }: ModelConnection, status: number): string =>
  key === undefined
    ? `status ${status}: it needs a key; give --key-stdin and the key on standard input`
    : `status ${status}: the key is wrong, or may not use this model`;

const MAX_NAMES = 8;

async function missingWords({ id, connection, request }: Probe): Promise<string> {
  const name = id.slice(id.indexOf('/') + 1);
  const names = await modelNames(connection, request);
  if (names === undefined)
    return `there is no ${name} at ${connection.url ?? originOf(connection)}: is the address right, with its version?`;
  if (names.length === 0) return `there is no ${name}, and the server has no model yet`;
  const nearest = nearestName(name, names);
  const listed = names.slice(0, MAX_NAMES).join(', ');
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `there is no ${name}; it has ${listed}${more}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}

const MAX_MESSAGE = 200;

/** A provider may repeat the key in its message. */
function withoutKey(message: string, key: string | undefined): string {
  const safeMessage = key === undefined ? message : message.replaceAll(key, '(key)');
  return safeMessage.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE);
}

async function toolCheck(call: Call, full: Answer): Promise<ModelCheck> {
  const answer = full.fault ? await call(ASKED) : full;
  if (answer.fault) return look('tools', 'refused: a chat cannot search in its files');
  return answer.calledTool
    ? ok('tools', 'called')
    : look('tools', 'offered, but it answered in words: it may not search in files on its own');
}

const answered = v.pipe(v.string(), v.parseJson(), v.strictObject({ colour: v.string() }));

async function schemaCheck(call: Call, mode: ReturnType<typeof profileOf>['schema']): Promise<ModelCheck> {
  const check = 'strict schema';
  if (mode !== 'strict') return look(check, `not sent, as the catalogue says: answers are held by a ${mode}`);
  const answer = await call(IN_SCHEMA);
  if (answer.fault) return look(check, 'refused: answers are held to a schema by a tool, or by words');
  return v.safeParse(answered, answer.text).success
    ? ok(check, 'followed')
    : look(check, 'accepted, but the answer does not follow it: more answers have to be asked for twice');
}

async function imageCheck(call: Call, full: Answer, vision: boolean): Promise<ModelCheck> {
  const check = 'images';
  if (!vision) return look(check, 'none is shown: the catalogue does not say that it sees');
  const answer = full.fault ? await call(PICTURE_ALONE) : full;
  if (answer.fault) return look(check, 'refused, although the catalogue says that it sees');
  return answer.text.toLowerCase().includes(COLOUR)
    ? ok(check, 'seen')
    : look(check, 'accepted, but it did not name the colour of the picture');
}

function priceCheck({ id, connection, ownProfiles = {} }: Probe): ModelCheck {
  const words = priceWords(id, connection, ownProfiles);
  return words === undefined
    ? look('price', 'not known: tasks cannot have a budget in dollars until the catalogue has it')
    : ok('price', words);
}
