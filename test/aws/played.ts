/** Plays a service of AWS that is called by the names of its operations. It throws on what it was not given. */

type Answer = object | Error;
type Play = { name: string; saying: object; answers: Answer[] };

export const ANYTHING = '*';

/** An error as a service's refusal becomes one. */
export const refusal = (name: string, httpStatusCode: number, more: object = {}): Error =>
  Object.assign(new Error(`secret ${name}`), { name, $metadata: { httpStatusCode, attempts: 1 }, ...more });

export function played() {
  let plays: Play[] = [];
  let asked: { name: string; said: unknown }[] = [];

  const fits = ({ name, saying }: Play, at: string, said: object): boolean =>
    (name === at || name === ANYTHING) &&
    Object.entries(saying).every(([key, value]) => (said as Record<string, unknown>)[key] === value);

  return {
    /** For any adapter: its types are checked where it is written. */
    call: (async (name: string, said: object) => {
      asked.push({ name, said });
      const play = plays.findLast((each) => fits(each, name, said));
      if (!play) throw new Error(`Nobody is to ask for ${name}.`);
      const answer = play.answers.length > 1 ? play.answers.shift() : play.answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    }) as never,
    /** One answer after the other, the last again and again. The latest fitting word holds. */
    on: (name: string, ...answers: Answer[]) => void plays.push({ name, saying: {}, answers }),
    onSaying: (name: string, saying: object, ...answers: Answer[]) => void plays.push({ name, saying, answers }),
    /** What was said to it, to one operation or all. */
    // biome-ignore lint/suspicious/noExplicitAny: a test names what it looks for in what was said
    said: (name?: string): any[] =>
      asked.filter((each) => name === undefined || each.name === name).map(({ said }) => said),
    reset() {
      plays = [];
      asked = [];
    },
  };
}
