/** How often somebody may be wrong. Each try is counted before the work of checking it, and taken back when it was right. */
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Key, Row, Table } from '../ports.ts';

const MINUTE_MS = 60_000;
const MOST_RACES = 10;

type Guess = { at: number; mark: string; from: string };
type Rule = { most: number; ms: number; counts?: (guess: Guess) => boolean };
/** One row of guesses, and the rules that hold over it. */
type Place = { key: Key; rules: Rule[] };
type Ports = { table: Table; clock: Clock; ids: Ids };
/** `account` is a user's id, whether there is such a user or not. */
type Guesser = { from: string; account?: string | undefined };

const keyOf = (of: 'ADDRESS' | 'ACCOUNT', id: string): Key => ({ pk: `GUESSES#${of}#${id}`, sk: 'GUESSES' });

function placesOf({ from, account }: Guesser): Place[] {
  const address: Place = { key: keyOf('ADDRESS', from), rules: [{ most: 30, ms: 5 * MINUTE_MS }] };
  if (account === undefined) return [address];
  const rules: Rule[] = [
    { most: 5, ms: 15 * MINUTE_MS, counts: (guess) => guess.from === from },
    { most: 20, ms: 15 * MINUTE_MS },
  ];
  return [address, { key: keyOf('ACCOUNT', account), rules }];
}

/** Undefined is a wrong guess, which stays counted; what throws was none. */
export async function guessing<T>(
  ports: Ports,
  who: Guesser,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const guess: Guess = { at: ports.clock.now(), mark: ports.ids.mark(), from: who.from };
  const counted: Place[] = [];
  let isWrong = false;
  try {
    for (const place of placesOf(who)) {
      await count(ports, place, guess);
      counted.push(place);
    }
    const found = await check();
    isWrong = found === undefined;
    return found;
  } finally {
    // What cannot be taken back counts as a wrong one, until its time is over.
    if (!isWrong) await Promise.allSettled(counted.map((place) => takeBack(ports, place, guess)));
  }
}

const count = ({ table, clock }: Ports, { key, rules }: Place, guess: Guess): Promise<void> =>
  change(table, key, rules, (guesses) => {
    for (const rule of rules) {
      const recent = guesses.filter(({ at }) => at > guess.at - rule.ms).filter(rule.counts ?? (() => true));
      const oldest = recent.at(-rule.most);
      if (oldest) throw tooMany(oldest.at + rule.ms - clock.now());
    }
    const longest = Math.max(...rules.map(({ ms }) => ms));
    return [...guesses.filter(({ at }) => at > guess.at - longest), guess];
  });

const takeBack = ({ table }: Ports, { key, rules }: Place, { mark }: Guess): Promise<void> =>
  change(table, key, rules, (guesses) => guesses.filter((guess) => guess.mark !== mark));

const tooMany = (ms: number) => {
  const retryAfterSeconds = Math.max(1, Math.ceil(ms / 1_000));
  return new Problem('rateLimited', `Too many failed logins; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
};

/** Whoever loses the race reads again: of many at once, no more than the rules allow get through. */
async function change(table: Table, key: Key, rules: Rule[], next: (guesses: Guess[]) => Guess[]): Promise<void> {
  for (let races = 0; races < MOST_RACES; races++) {
    const row = await table.get<Guess[]>(key);
    const value = next(row?.value ?? []);
    if (await written(table, key, { row, value, ms: Math.max(...rules.map(({ ms }) => ms)) })) return;
  }
  throw new Problem('busy', 'Too many log in at once from here; try again.');
}

type Written = { row: Row<Guess[]> | undefined; value: Guess[]; ms: number };

function written(table: Table, key: Key, { row, value, ms }: Written) {
  const expiresAt = (value.at(-1)?.at ?? 0) + ms;
  return row ? table.replace(row, { value, expiresAt }) : table.insert({ ...key, value, expiresAt });
}
