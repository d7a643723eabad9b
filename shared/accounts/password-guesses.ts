/** Limits how often passwords are guessed: from a source address, and for an account. */

import { isProblem, Problem } from '../core/problem.ts';
import { MINUTE_MS } from '../core/time.ts';
import type { Clock, Ids, Key, Row, Secrets, Table } from '../ports.ts';
import { type AccountAtAddress, isKnownAddress } from './known-addresses.ts';

/** If a process dies during a check, its guess stays pending; after this time it counts as wrong. */
const PENDING_MS = 30_000;
const MAX_TRIES = 200;
/** The pause after a lost race, multiplied by the number of lost races. */
const RACE_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;

type Guess = { at: number; mark: string; from: string; pending?: true };
type Rule = { max: number; ms: number; counts?: (guess: Guess) => boolean };
/** One row of guesses and the rules that apply to it. */
type GuessCounter = { key: Key; rules: Rule[] };
/** `pause` waits for a random part of the given time. */
export type GuessPorts = {
  table: Table;
  clock: Clock;
  ids: Ids;
  secrets: Secrets;
  pause(maxMs: number): Promise<void>;
};
/** `account`: the id that belongs to the user name, even if no such user exists. */
type Guesser = { from: string; account?: string | undefined };

const keyOf = (of: 'ADDRESS' | 'ACCOUNT' | 'KNOWN', id: string): Key => ({ pk: `GUESSES#${of}#${id}`, sk: 'GUESSES' });

function countersOf({ from, account }: Guesser): GuessCounter[] {
  const address: GuessCounter = { key: keyOf('ADDRESS', from), rules: [{ max: 30, ms: 5 * MINUTE_MS }] };
  if (account === undefined) return [address];
  const rules: Rule[] = [
    { max: 5, ms: 15 * MINUTE_MS, counts: (guess) => guess.from === from },
    { max: 20, ms: 15 * MINUTE_MS },
  ];
  return [address, { key: keyOf('ACCOUNT', account), rules }];
}

/** Guesses that an account has at an address it signed in from before, while the rules above reject other guesses. */
const knownAddressCounter = ({ account, from }: AccountAtAddress): GuessCounter => ({
  key: keyOf('KNOWN', `${account}#${from}`),
  rules: [{ max: 5, ms: 15 * MINUTE_MS }],
});

/** A wrong guess stays counted. A check that throws does not count as a guess. */
export async function checkGuess<T>(
  ports: GuessPorts,
  who: Guesser,
  check: () => Promise<T | 'wrong'>,
): Promise<T | 'wrong'> {
  const guess: Guess = { at: ports.clock.now(), mark: ports.ids.mark(), from: who.from, pending: true };
  const { counted, refusal } = await countGuess(ports, who, guess);
  let isWrong = false;
  try {
    const outcome = await check();
    isWrong = outcome === 'wrong';
    // Same response as for an unknown address, so that it does not reveal who has signed in from here.
    if (isWrong && refusal) throw refusal;
    return outcome;
  } finally {
    // A counter that cannot be updated counts the guess as wrong until its window ends.
    const settle = isWrong ? confirmWrong : takeBack;
    await Promise.allSettled(counted.map((counter) => settle(ports, counter, guess)));
  }
}

/** `refusal`: the error for this guess if the account did not know this address. */
type CountedGuess = { counted: GuessCounter[]; refusal?: Problem };

async function countGuess(ports: GuessPorts, who: Guesser, guess: Guess): Promise<CountedGuess> {
  try {
    return { counted: await countInCounter(ports, countersOf(who), guess) };
  } catch (refusal) {
    const { account, from } = who;
    if (account === undefined || !isProblem(refusal, 'rateLimited')) throw refusal;
    if (!(await isKnownAddress(ports, { account, from }))) throw refusal;
    return { counted: await countInCounter(ports, [knownAddressCounter({ account, from })], guess), refusal };
  }
}

/** Counts in all counters or in none. */
async function countInCounter(ports: GuessPorts, counters: GuessCounter[], guess: Guess): Promise<GuessCounter[]> {
  const counted: GuessCounter[] = [];
  try {
    for (const counter of counters) {
      await countOne(ports, counter, guess);
      counted.push(counter);
    }
    return counted;
  } catch (error) {
    await Promise.allSettled(counted.map((counter) => takeBack(ports, counter, guess)));
    throw error;
  }
}

const countOne = (ports: GuessPorts, { key, rules }: GuessCounter, guess: Guess): Promise<void> =>
  changeGuesses(ports, key, rules, (guesses) => {
    const now = ports.clock.now();
    let mustWait = false;
    for (const { max, ms, counts = () => true } of rules) {
      const recent = guesses.filter(({ at }) => at > guess.at - ms).filter(counts);
      const oldest = recent.filter((earlier) => !isPending(earlier, now)).at(-max);
      if (oldest) throw tooMany(oldest.at + ms - now);
      mustWait ||= recent.length >= max;
    }
    if (mustWait) return 'wait';
    const longest = Math.max(...rules.map(({ ms }) => ms));
    return [...guesses.filter(({ at }) => at > guess.at - longest), guess];
  });

const isPending = ({ pending, at }: Guess, now: number): boolean => pending === true && now - at < PENDING_MS;

const takeBack = (ports: GuessPorts, { key, rules }: GuessCounter, { mark }: Guess): Promise<void> =>
  changeGuesses(ports, key, rules, (guesses) => guesses.filter((guess) => guess.mark !== mark));

const confirmWrong = (ports: GuessPorts, { key, rules }: GuessCounter, { mark }: Guess): Promise<void> =>
  changeGuesses(ports, key, rules, (guesses) =>
    guesses.map(({ pending, ...guess }) => (guess.mark === mark || !pending ? guess : { ...guess, pending })),
  );

const tooMany = (ms: number) => {
  const retryAfterSeconds = Math.max(1, Math.ceil(ms / 1_000));
  return new Problem('rateLimited', `Too many failed logins; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
};

/** Retries after a lost race, and while pending guesses use up the limit. */
async function changeGuesses(
  { table, pause }: GuessPorts,
  key: Key,
  rules: Rule[],
  next: (guesses: Guess[]) => Guess[] | 'wait',
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await table.get<Guess[]>(key);
    const value = next(row?.value ?? []);
    const ms = Math.max(...rules.map((rule) => rule.ms));
    if (value !== 'wait' && (await writeGuesses(table, key, { row, value, ms }))) return;
    await pause(value === 'wait' ? MAX_PAUSE_MS : Math.min(tries * RACE_PAUSE_MS, MAX_PAUSE_MS));
  }
  throw new Problem('busy', 'Too many log in at once from here; try again.');
}

type WrittenGuesses = { row: Row<Guess[]> | undefined; value: Guess[]; ms: number };

function writeGuesses(table: Table, key: Key, { row, value, ms }: WrittenGuesses) {
  const expiresAt = (value.at(-1)?.at ?? 0) + ms;
  // Relaxed: a power failure may lose this write, which gives back a guess or two.
  return row
    ? table.replace(row, { value, expiresAt }, { durability: 'relaxed' })
    : table.insert({ ...key, value, expiresAt });
}
