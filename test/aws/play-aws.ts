/** A double of an AWS service, called by the names of its operations. It throws on calls without a scripted answer. */

type Answer = object | Error;
type Play = { name: string; saying: object; answers: Answer[] };

export const ANYTHING = '*';

/** The error that the SDK throws for a service's refusal. */
export const refusal = (name: string, httpStatusCode: number, more: object = {}): Error =>
  Object.assign(new Error(`secret ${name}`), { name, $metadata: { httpStatusCode, attempts: 1 }, ...more });

export function playAws() {
  let plays: Play[] = [];
  let asked: { name: string; said: unknown }[] = [];

  const fits = ({ name, saying }: Play, at: string, said: object): boolean =>
    (name === at || name === ANYTHING) &&
    Object.entries(saying).every(([key, value]) => (said as Record<string, unknown>)[key] === value);

  return {
    /** Untyped, so that it fits any adapter, whose own code is type-checked. */
    call: (async (name: string, said: object) => {
      asked.push({ name, said });
      const play = plays.findLast((each) => fits(each, name, said));
      if (!play) throw new Error(`Nobody is to ask for ${name}.`);
      const answer = play.answers.length > 1 ? play.answers.shift() : play.answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    }) as never,
    /** Answers in order; the last one repeats. The latest matching script applies. */
    on: (name: string, ...answers: Answer[]) => void plays.push({ name, saying: {}, answers }),
    onSaying: (name: string, saying: object, ...answers: Answer[]) => void plays.push({ name, saying, answers }),
    /** The recorded calls of one operation or of all. */
    // biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it compares
    said: (name?: string): any[] =>
      asked.filter((each) => name === undefined || each.name === name).map(({ said }) => said),
    reset() {
      plays = [];
      asked = [];
    },
  };
}
