/**
 * A model server with OpenAI's protocol. It behaves well or badly as the prompt of each task demands, and keeps its own
 * ledger of the tokens that it would charge for.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { NO_TOKENS, sumTokens, type Tokens } from '../../../shared/usage/tokens.ts';

export const BEHAVIOURS = [
  'answers', // at once
  'works', // calls tools before it answers
  'unreported', // answers without a word of usage
  'impossible', // reports usage that cannot be true
  'page', // sends a page of HTML
  'failing', // refuses some tries without charging for them
  'charging', // refuses some tries and charges for them
  'cut', // ends some connections before it answers
  'torn', // ends some connections in the middle of the answer
  'recovering', // refuses a whole attempt of the task
  'endless', // calls tools until it is stopped
  'filtered', // holds its answer back
  'unknown', // has no such model
  'dead', // refuses every try of every attempt and charges for it
  'hanging', // never answers
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** The text in a prompt that selects the behaviour. */
export const markOf = (behaviour: Behaviour, nth: number): string => `[[${behaviour} ${nth}]]`;
const MARK = /\[\[(\w+) (\d+)\]\]/;

type Body = { messages: { role: string }[]; tools?: unknown[] };
/** `sent` is an estimate in tokens, from the size of the request. */
type Call = { body: Body; sent: number; response: ServerResponse; tries: number };

/** The calls that `withRetries` makes in one attempt of a task. */
const TRIES = 4;
const BYTES_A_TOKEN = 4;

export async function modelLedger(random: () => number) {
  let reported = NO_TOKENS;
  /** Calls whose usage was never reported, with an estimate from their size. */
  let unreported = { calls: 0, inputTokens: 0 };
  let calls = 0;
  /** Keyed by the mark of the task. */
  const triesOf = new Map<string, number>();
  const hanging = new Set<string>();
  let open = 0;

  function charge(): object {
    const figure = (most: number) => Math.floor(random() * most);
    const [inputTokens, outputTokens] = [1 + figure(20_000), 1 + figure(2_000)];
    const [cachedInputTokens, reasoningTokens] = [figure(inputTokens), figure(outputTokens)];
    const tokens: Partial<Tokens> = { inputTokens, outputTokens, cachedInputTokens, reasoningTokens };
    reported = sumTokens(reported, tokens);
    return {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      prompt_tokens_details: { cached_tokens: cachedInputTokens },
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    };
  }

  /** A refusal reports only input and output tokens. */
  function chargeRefusal(): object {
    const [prompt_tokens, completion_tokens] = [1 + Math.floor(random() * 5_000), 0];
    reported = sumTokens(reported, { inputTokens: prompt_tokens });
    return { prompt_tokens, completion_tokens };
  }

  function leaveUnreported({ sent }: Call): void {
    unreported = { calls: unreported.calls + 1, inputTokens: unreported.inputTokens + sent };
  }

  const send = ({ response }: Call, status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const refuse = (call: Call, status: number, more: object = {}): void =>
    send(call, status, { error: { message: 'not now' }, ...more });

  function answer(call: Call, more: object, o: { tool?: boolean; ending?: string } = {}): void {
    const id = `c${calls}`;
    const message = o.tool
      ? { role: 'assistant', content: null, tool_calls: [toolCall(id)] }
      : { role: 'assistant', content: 'It is due in March.' };
    const finish_reason = o.ending ?? (o.tool ? 'tool_calls' : 'stop');
    send(call, 200, { id, created: 1, model: 'm', choices: [{ index: 0, message, finish_reason }], ...more });
  }

  function tear(call: Call): void {
    leaveUnreported(call);
    call.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    call.response.write('{"id": "x", "choi', () => call.response.socket?.destroy());
  }

  const MOVES: Record<Behaviour, (call: Call, mark: string) => void> = {
    answers: (call) => answer(call, { usage: charge() }),
    works: (call) => answer(call, { usage: charge() }, { tool: hasTools(call) && call.tries <= 3 }),
    unreported: (call) => {
      leaveUnreported(call);
      answer(call, {});
    },
    impossible: (call) => {
      leaveUnreported(call);
      const figures = [-50_000_000, 1.5, 1e308, 50_000_000];
      const figure = () => figures[Math.floor(random() * figures.length)];
      answer(call, { usage: { prompt_tokens: figure(), completion_tokens: figure() } });
    },
    page: ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in'),
    failing: (call) => (call.tries % 3 === 0 ? answer(call, { usage: charge() }) : refuse(call, 500)),
    charging: (call) =>
      call.tries % 2 === 0 ? answer(call, { usage: charge() }) : refuse(call, 500, { usage: chargeRefusal() }),
    cut: (call) => {
      if (call.tries % 2 === 0) return answer(call, { usage: charge() });
      leaveUnreported(call);
      call.response.socket?.destroy();
    },
    torn: (call) => (call.tries % 2 === 0 ? answer(call, { usage: charge() }) : tear(call)),
    recovering: (call) =>
      call.tries > TRIES ? answer(call, { usage: charge() }) : refuse(call, 500, { usage: chargeRefusal() }),
    endless: (call) => answer(call, { usage: charge() }, { tool: hasTools(call) }),
    filtered: (call) => answer(call, { usage: charge() }, { ending: 'content_filter' }),
    unknown: (call) => refuse(call, 404),
    dead: (call) => refuse(call, 500, { usage: chargeRefusal() }),
    hanging: (call, mark) => {
      leaveUnreported(call);
      hanging.add(mark);
      open++;
      call.response.on('close', () => open--);
    },
  };

  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Body;
    const all = JSON.stringify([body.messages, body.tools ?? []]);
    const [mark = '', behaviour = ''] = MARK.exec(all) ?? [];
    const tries = (triesOf.get(mark) ?? 0) + 1;
    triesOf.set(mark, tries);
    calls++;
    const move = MOVES[behaviour as Behaviour];
    if (!move) return void response.writeHead(400).end(`There is no behaviour ${behaviour}.`);
    move({ body, sent: Buffer.byteLength(all) / BYTES_A_TOKEN, response, tries }, mark);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    reported: () => reported,
    unreported: () => unreported,
    calls: () => calls,
    /** Whether a call of the task with this mark is hanging. */
    hangs: (mark: string) => hanging.has(mark),
    /** The number of calls that still hang. */
    open: () => open,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const hasTools = ({ body }: Call): boolean => (body.tools ?? []).length > 0;

const toolCall = (id: string) => ({ id, type: 'function', function: { name: 'query_table', arguments: '{}' } });
