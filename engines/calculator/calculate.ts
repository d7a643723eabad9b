/** Calculates a written expression: exact decimals, dates and units, by a closed grammar without names or loops. */

import type Big from 'big.js';
import { DAY_MS } from '../../shared/core/time.ts';
import {
  type BoundedDecimals,
  bounded,
  boundedDecimals,
  DECIMALS,
  Decimal,
  fail,
  InvalidExpression,
} from './bounded-decimals.ts';

/** A decimal with a unit, or a day. */
type Quantity = { kind: 'number'; value: Big; unit?: string };
type CalendarDay = { kind: 'day'; time: number };
type Value = Quantity | CalendarDay;

type Calculation = { result: string; rounded?: true } | { error: string };

const MOST = { characters: 4_000, tokens: 1_000, depth: 50, exponent: 100 };
/** Decimal places that are shown. The others of a quotient are guard digits. */
const SHOWN_DECIMALS = 30;

/** The factor of each unit to the base unit of its dimension. */
const UNITS: Record<string, Record<string, string>> = {
  length: {
    m: '1',
    mm: '0.001',
    cm: '0.01',
    dm: '0.1',
    km: '1000',
    in: '0.0254',
    ft: '0.3048',
    yd: '0.9144',
    mi: '1609.344',
    nmi: '1852',
  },
  mass: { kg: '1', mg: '0.000001', g: '0.001', t: '1000', oz: '0.028349523125', lb: '0.45359237' },
  area: { m2: '1', cm2: '0.0001', km2: '1000000', ha: '10000', ft2: '0.09290304', acre: '4046.8564224' },
  volume: { l: '1', ml: '0.001', cl: '0.01', hl: '100', m3: '1000', gal: '3.785411784', floz: '0.0295735295625' },
  time: { s: '1', ms: '0.001', min: '60', h: '3600', day: '86400', days: '86400', week: '604800', weeks: '604800' },
  months: { month: '1', months: '1', quarter: '3', quarters: '3', year: '12', years: '12' },
  data: {
    B: '1',
    kB: '1000',
    MB: '1000000',
    GB: '1000000000',
    TB: '1000000000000',
    KiB: '1024',
    MiB: '1048576',
    GiB: '1073741824',
    TiB: '1099511627776',
  },
  energy: { J: '1', kJ: '1000', MJ: '1000000', Wh: '3600', kWh: '3600000', MWh: '3600000000', kcal: '4184' },
  power: { W: '1', kW: '1000', MW: '1000000' },
  speed: { mps: '1', kn: '0.51444444444444444444' },
};
const DIMENSION = new Map(
  Object.entries(UNITS).flatMap(([name, units]) => Object.keys(units).map((unit) => [unit, name] as const)),
);
const factorOf = (unit: string): Big => new Decimal(UNITS[DIMENSION.get(unit) ?? '']?.[unit] ?? '1');
const TEMPERATURES: Record<string, { scale: string; offset: string }> = {
  C: { scale: '1', offset: '273.15' },
  K: { scale: '1', offset: '0' },
  F: { scale: '0.55555555555555555555555555555555555556', offset: '255.37222222222222222222222222222222222222' },
};
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
/** A known unit that is not a currency. */
export const isMeasure = (word: string): boolean => DIMENSION.has(word) || Object.hasOwn(TEMPERATURES, word);
const isUnit = (word: string): boolean => isMeasure(word) || CURRENCIES.has(word);

const TOKEN = /\s*(?:(\d{4}-\d\d-\d\d)|(\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?)|([A-Za-z][A-Za-z0-9]*)|([-+*/^(),%;]))/y;

type Token = { day?: string; number?: string; word?: string; sign?: string };

function tokensOf(expression: string): Token[] {
  const text = expression.trim().replaceAll('×', '*').replaceAll('÷', '/').replaceAll('−', '-');
  if (text.length > MOST.characters) fail(`The expression is longer than ${MOST.characters} characters.`);
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const [, day, number, word, sign] =
      TOKEN.exec(text) ?? fail(`Not understood: ${JSON.stringify(text.slice(from, from + 20))}.`);
    tokens.push({ ...(day && { day }), ...(number && { number }), ...(word && { word }), ...(sign && { sign }) });
    if (tokens.length > MOST.tokens) fail(`The expression has more than ${MOST.tokens} parts.`);
  }
  return tokens;
}

/** Returns the value, or the error in the expression. */
export function calculate(expression: string): Calculation {
  try {
    const parser: Parser = {
      tokens: tokensOf(expression),
      at: 0,
      depth: 0,
      isRounded: false,
      decimals: boundedDecimals(),
    };
    const result = toText(parseWhole(parser));
    return parser.isRounded ? { result, rounded: true } : { result };
  } catch (error) {
    if (error instanceof InvalidExpression) return { error: `${error.message} ${HELP}` };
    if (error instanceof Error && error.message.startsWith('[big.js]'))
      return { error: `${error.message.slice(9)}. ${HELP}` };
    throw error;
  }
}

const HELP = 'Numbers are written 1234.5, without separators of thousands; days are written 2026-03-31.';

/** The position in the tokens, the depth of nesting, and whether a quotient had to be rounded. */
type Parser = {
  tokens: readonly Token[];
  at: number;
  depth: number;
  isRounded: boolean;
  decimals: BoundedDecimals;
};

function takeSign(parser: Parser, ...signs: string[]): string | undefined {
  const { sign } = parser.tokens[parser.at] ?? {};
  if (sign === undefined || !signs.includes(sign)) return undefined;
  parser.at++;
  return sign;
}

const expectSign = (parser: Parser, sign: string) => takeSign(parser, sign) ?? fail(`A ${sign} is missing.`);

/** Parses a whole expression, with an optional target unit. */
function parseWhole(parser: Parser): Value {
  const value = parseSum(parser);
  const next = parser.tokens[parser.at];
  if (next === undefined) return value;
  if (next.word !== 'in' && next.word !== 'to') fail(`Not expected: ${JSON.stringify(Object.values(next)[0])}.`);
  const unit = parser.tokens[parser.at + 1]?.word ?? fail('The unit to convert to is missing.');
  return parser.at + 2 === parser.tokens.length
    ? toUnit(parser.decimals, numberIn(value), unit)
    : fail('Convert at the end only.');
}

function parseSum(parser: Parser): Value {
  let left = parseProduct(parser);
  for (let sign = takeSign(parser, '+', '-'); sign; sign = takeSign(parser, '+', '-'))
    left = sumOf(parser.decimals, left, parseProduct(parser), sign === '-');
  return left;
}

function parseProduct(parser: Parser): Value {
  let left = parseSigned(parser);
  for (let sign = takeSign(parser, '*', '/'); sign; sign = takeSign(parser, '*', '/')) {
    const right = parseSigned(parser);
    left = sign === '*' ? productOf(parser.decimals, left, right) : quotientOf(parser, left, right);
  }
  return left;
}

function parseSigned(parser: Parser): Value {
  if (takeSign(parser, '+')) return parseNested(parser, parseSigned);
  if (!takeSign(parser, '-')) return parsePower(parser);
  const { value, ...rest } = numberIn(parseNested(parser, parseSigned));
  return { ...rest, value: value.neg() };
}

function parsePower(parser: Parser): Value {
  const base = withUnit(parser, parsePrimary(parser));
  if (!takeSign(parser, '^')) return base;
  const { value, unit } = numberIn(parseNested(parser, parseSigned));
  const exponent = value.toNumber();
  if (unit || !Number.isInteger(exponent) || Math.abs(exponent) > MOST.exponent)
    fail(`An exponent is a whole number up to ${MOST.exponent}.`);
  return { kind: 'number', value: parser.decimals.power(plain(base), exponent) };
}

function parseNested(parser: Parser, parse: (parser: Parser) => Value): Value {
  if (++parser.depth > MOST.depth) fail(`The expression is nested more than ${MOST.depth} deep.`);
  const value = parse(parser);
  parser.depth--;
  return value;
}

function parsePrimary(parser: Parser): Value {
  const token = parser.tokens[parser.at++] ?? fail('The expression ends too early.');
  if (token.day) return dayOf(token.day);
  if (token.number) return { kind: 'number', value: bounded(new Decimal(token.number)) };
  if (token.word && takeSign(parser, '(')) return parseCall(parser, token.word);
  if (token.sign !== '(') fail(`${JSON.stringify(token.word ?? token.sign)} is not expected here.`);
  const value = parseNested(parser, parseSum);
  expectSign(parser, ')');
  return value;
}

const HUNDRED = new Decimal(100);

function withUnit(parser: Parser, value: Value): Value {
  if (value.kind === 'day') return value;
  if (takeSign(parser, '%')) return { kind: 'number', value: parser.decimals.dividedBy(value.value, HUNDRED) };
  const { word } = parser.tokens[parser.at] ?? {};
  // `in` is the unit inch, or the keyword before the target unit.
  const isConversion = word === 'in' && parser.at + 2 === parser.tokens.length;
  if (word === undefined || isConversion || !isUnit(word)) return value;
  parser.at++;
  return value.unit ? fail(`There are two units: ${value.unit} and ${word}.`) : { ...value, unit: word };
}

function parseCall(parser: Parser, name: string): Value {
  const args: Value[] = [];
  if (!takeSign(parser, ')')) {
    do args.push(parseNested(parser, parseSum));
    while (takeSign(parser, ',', ';'));
    expectSign(parser, ')');
  }
  const key = name.toLowerCase();
  const run = Object.hasOwn(FUNCTIONS, key) ? FUNCTIONS[key] : undefined;
  if (!run) return fail(`There is no function ${name}. There are ${Object.keys(FUNCTIONS).join(', ')}.`);
  return run(args, parser);
}

function quotientOf(parser: Parser, left: Value, right: Value): Value {
  const [dividend, divisor] = [numberIn(left), numberIn(right)];
  const isRatio = dividend.unit !== undefined && divisor.unit !== undefined;
  const by = isRatio ? toUnit(parser.decimals, divisor, dividend.unit ?? '').value : plain(divisor);
  if (by.eq(0)) fail('Division by zero.');
  const value = parser.decimals.dividedBy(dividend.value, by);
  parser.isRounded ||= !parser.decimals.isExact(value, dividend.value, by);
  return isRatio ? { kind: 'number', value } : { ...dividend, value };
}

const numberIn = (value: Value | undefined): Quantity =>
  value?.kind === 'number'
    ? value
    : fail(value ? 'A number is expected, not a day.' : 'The function needs more values.');
const plain = (value: Value | undefined): Big => {
  const { value: number, unit } = numberIn(value);
  return unit ? fail(`A number without a unit is expected, not ${unit}.`) : number;
};

function productOf(decimals: BoundedDecimals, left: Value, right: Value): Value {
  const [leftNumber, rightNumber] = [numberIn(left), numberIn(right)];
  if (leftNumber.unit && rightNumber.unit) fail(`${leftNumber.unit} times ${rightNumber.unit} has no unit here.`);
  const unit = leftNumber.unit ?? rightNumber.unit;
  return { kind: 'number', value: decimals.times(leftNumber.value, rightNumber.value), ...(unit ? { unit } : {}) };
}

function sumOf(decimals: BoundedDecimals, left: Value, right: Value, isMinus: boolean): Value {
  if (left.kind === 'day')
    return isMinus && right.kind === 'day'
      ? daysBetween(right, left)
      : shiftedDay(decimals, left, numberIn(right), isMinus ? -1 : 1);
  const addend = numberIn(right);
  if (left.unit === undefined ? addend.unit : !addend.unit)
    fail(`One side has the unit ${left.unit ?? addend.unit}, the other has none.`);
  const { value } = left.unit && addend.unit ? toUnit(decimals, addend, left.unit) : addend;
  return { ...left, value: isMinus ? decimals.minus(left.value, value) : decimals.plus(left.value, value) };
}

function toUnit(decimals: BoundedDecimals, from: Quantity, unit: string): Quantity {
  const { value, unit: fromUnit } = from;
  if (fromUnit === unit || fromUnit === undefined)
    return fromUnit === unit ? from : fail(`There is no unit to convert to ${unit}.`);
  const [scale, target] = [TEMPERATURES[fromUnit], TEMPERATURES[unit]];
  if (scale && target) {
    const kelvin = decimals.plus(decimals.times(value, new Decimal(scale.scale)), new Decimal(scale.offset));
    const fromZero = decimals.minus(kelvin, new Decimal(target.offset));
    return { kind: 'number', value: decimals.dividedBy(fromZero, new Decimal(target.scale)).round(12), unit };
  }
  if (CURRENCIES.has(fromUnit) && CURRENCIES.has(unit))
    fail(`There is no exchange rate between ${fromUnit} and ${unit}: multiply by the rate.`);
  if (!isUnit(unit) || DIMENSION.get(fromUnit) === undefined || DIMENSION.get(fromUnit) !== DIMENSION.get(unit))
    fail(`${fromUnit} cannot be converted to ${unit}.`);
  return { kind: 'number', value: decimals.dividedBy(decimals.times(value, factorOf(fromUnit)), factorOf(unit)), unit };
}

function dayOf(text: string): CalendarDay {
  const time = Date.parse(text);
  return Number.isNaN(time) || isoDay(time) !== text
    ? fail(`${text} is not a day of the calendar.`)
    : { kind: 'day', time };
}
const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

const daysBetween = (from: CalendarDay, to: CalendarDay): Quantity => ({
  kind: 'number',
  value: new Decimal((to.time - from.time) / DAY_MS),
  unit: 'days',
});

const MAX_MOVE = 4_000_000;
const SECONDS_OF_DAY = new Decimal(86_400);

/** Months keep the day of the month, or take the last day of a shorter month. */
function shiftedDay(
  decimals: BoundedDecimals,
  { time }: CalendarDay,
  { value, unit = 'days' }: Quantity,
  sign: 1 | -1,
): CalendarDay {
  const dimension = DIMENSION.get(unit);
  const scaled = decimals.times(value, factorOf(unit));
  const amount = dimension === 'time' ? decimals.dividedBy(scaled, SECONDS_OF_DAY) : scaled;
  const count = sign * amount.toNumber();
  if ((dimension !== 'time' && dimension !== 'months') || !Number.isInteger(count) || Math.abs(count) > MAX_MOVE)
    fail('A day is moved by whole days, weeks, months or years.');
  const date = new Date(time);
  if (dimension === 'time') date.setUTCDate(date.getUTCDate() + count);
  else {
    const day = date.getUTCDate();
    date.setUTCMonth(date.getUTCMonth() + count, 1);
    date.setUTCDate(Math.min(day, new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()));
  }
  const isShown = date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
  return isShown ? { kind: 'day', time: date.getTime() } : fail('The day is outside of the years 1 to 9999.');
}

type CalculatorFunction = (args: readonly Value[], parser: Parser) => Value;

const quantitiesOf = (args: readonly Value[]): Quantity[] =>
  args.length > 0 ? args.map(numberIn) : fail('The function needs values.');
const total = (args: readonly Value[], { decimals }: Parser): Value => {
  const [first, ...rest] = quantitiesOf(args);
  return rest.reduce<Value>((sum, addend) => sumOf(decimals, sum, addend, false), numberIn(first));
};
const sortedQuantities = (args: readonly Value[], { decimals }: Parser): Quantity[] => {
  const [first, ...rest] = quantitiesOf(args);
  const unit = first?.unit;
  const quantities = [first, ...rest].flatMap((quantity) =>
    quantity ? [unit ? toUnit(decimals, quantity, unit) : { ...quantity, value: plain(quantity) }] : [],
  );
  return quantities.sort((a, b) => a.value.cmp(b.value));
};
const count = (number: number): Value => ({ kind: 'number', value: new Decimal(number) });
const dayIn = (value: Value | undefined): CalendarDay =>
  value?.kind === 'day' ? value : fail('A day such as 2026-03-31 is expected.');
const decimalsIn = (value: Value | undefined): number => {
  const places = value === undefined ? 0 : plain(value).toNumber();
  return Number.isInteger(places) && places >= 0 && places <= DECIMALS
    ? places
    : fail(`Round to 0 to ${DECIMALS} decimals.`);
};
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Rounds half away from zero, or to even. */
const roundingFunction =
  (mode: 0 | 1 | 2 | 3): CalculatorFunction =>
  ([input, places]) => {
    const quantity = numberIn(input);
    return { ...quantity, value: quantity.value.round(decimalsIn(places), mode) };
  };

const FUNCTIONS: Record<string, CalculatorFunction> = {
  sum: total,
  avg: (args, parser) => quotientOf(parser, total(args, parser), count(args.length)),
  count: (args) => count(args.length),
  min: (args, parser) => numberIn(sortedQuantities(args, parser)[0]),
  max: (args, parser) => numberIn(sortedQuantities(args, parser).at(-1)),
  median(args, parser) {
    const quantities = sortedQuantities(args, parser);
    const [low, high] = [
      quantities[Math.ceil(quantities.length / 2) - 1],
      quantities[Math.floor(quantities.length / 2)],
    ];
    return quotientOf(parser, sumOf(parser.decimals, numberIn(low), numberIn(high), false), count(2));
  },
  abs: ([input]) => ({ ...numberIn(input), value: numberIn(input).value.abs() }),
  round: roundingFunction(1),
  roundeven: roundingFunction(2),
  trunc: roundingFunction(0),
  percent: ([part, whole], parser) =>
    productOf(parser.decimals, quotientOf(parser, numberIn(part), numberIn(whole)), count(100)),
  change([from, to], parser) {
    const difference = sumOf(parser.decimals, numberIn(to), numberIn(from), true);
    return productOf(parser.decimals, quotientOf(parser, difference, numberIn(from)), count(100));
  },
  days: ([from, to]) => ({ kind: 'number', value: daysBetween(dayIn(from), dayIn(to)).value }),
};

/** Adds the weekday to a date, because users often ask for it. */
function toText(value: Value): string {
  if (value.kind === 'day') return `${isoDay(value.time)} (${WEEKDAYS[new Date(value.time).getUTCDay()]})`;
  const number = value.value.round(SHOWN_DECIMALS).toFixed();
  return value.unit ? `${number} ${value.unit}` : number;
}
