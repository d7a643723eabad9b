/** Hostile expressions: each is answered or refused within milliseconds, because its work is bounded before it begins. */
import { calculate } from '../../../engines/calculator/calculate.ts';
import { HARD_EXPRESSIONS } from '../../engines/calculator/hard-expressions.ts';
import { boundMs, processorMs } from '../../support/machine-speed.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Part } from './part.ts';

const RANDOM_EXPRESSIONS = 5_000;
/** An expression takes about 5 ms at most; a pause of the garbage collector may be added to any of them. */
const MAX_MS = 50;
const MAX_CHARACTERS = 4_000;

/** Sums of products, quotients and powers of long numbers, up to the limit of characters. */
function randomExpression(random: () => number): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const digits = () => '9'.repeat(1 + below(60));
  const term = (depth: number): string => {
    const operand = () => term(depth + 1);
    const terms: (() => string)[] = [
      digits,
      () => `1.${digits()}`,
      () => `${digits()}e-${below(100)}`,
      () => `(${operand()}*${operand()})`,
      () => `(${operand()}/${operand()})`,
      () => `(${operand()}^-${1 + below(100)})`,
      () => `(${operand()}^${1 + below(20)})`,
      () => `median(${operand()},${operand()},${operand()})`,
    ];
    return terms[below(depth > 3 ? 3 : terms.length)]?.() ?? '1';
  };
  let expression = term(0);
  while (random() < 0.95) {
    const longer = `${expression}+${term(0)}`;
    if (longer.length > MAX_CHARACTERS) break;
    expression = longer;
  }
  return expression;
}

export const calculations: Part = {
  name: 'calculate',
  promise: 'A hostile expression is answered or refused within milliseconds',
  isAlone: true,
  async run({ seed, size }) {
    const random = seededRandom(seed);
    const expressions = [
      ...Object.values(HARD_EXPRESSIONS),
      ...Array.from({ length: RANDOM_EXPRESSIONS * size }, () => randomExpression(random)),
    ];
    const broken: string[] = [];
    let [longest, answered] = [0, 0];
    for (const expression of expressions) {
      const ms = processorMs(() => {
        try {
          if ('result' in calculate(expression)) answered++;
        } catch (error) {
          broken.push(`${expression.slice(0, 80)} threw ${error}`);
        }
      });
      // A collection of garbage falls into one measurement; a slow expression is slow in each.
      const again = () => processorMs(() => calculate(expression));
      const shortest = ms > MAX_MS ? Math.min(ms, again(), again()) : ms;
      longest = Math.max(longest, shortest);
      if (shortest > boundMs(MAX_MS, shortest))
        broken.push(`${expression.slice(0, 80)} took ${Math.round(shortest)} ms`);
    }
    if (answered === 0) broken.push('no expression was answered');
    const figures = [`the longest took ${longest.toFixed(1)} ms of the processor`, `${answered} answered`];
    return [{ what: 'hostile expressions', tried: expressions.length, broken, figures }];
  },
};
