/** Generates mutants of a source: single small changes to a condition, an operator, a number or a statement. */
import { parseAst } from 'vitest/node';
import { sourceOf } from './loader.ts';

export type Mutant = { file: string; source: string; name: string };

type Node = { type: string; start: number; end: number };
type Change = { at: { start: number; end: number }; put: string };

const BOUNDARIES: Record<string, readonly string[]> = {
  '>=': ['>', '<'],
  '>': ['>=', '<='],
  '<=': ['<', '>'],
  '<': ['<=', '>='],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
};

/** `only` limits the mutants to nodes of these types. */
export function mutantsOf(file: string, only: readonly string[] = Object.keys(OPERATORS)): Mutant[] {
  const source = sourceOf(file);
  // The options need a language, although the types say otherwise.
  const tree = parseAst(source, { lang: 'ts' } as never, file) as unknown as Node;
  const changes = nodesIn(tree).flatMap((node) => (only.includes(node.type) ? changesOf(node, source) : []));
  const mutants = changes.map(({ at: { start, end }, put }): Mutant => {
    const [before, find, after] = [source.slice(0, start), source.slice(start, end), source.slice(end)];
    const line = source.slice(source.lastIndexOf('\n', start) + 1, source.indexOf('\n', end)).trim();
    return { file, source: before + put + after, name: `${line}: ${find.trim()} -> ${put.trim()}` };
  });
  return [...new Map(mutants.map((mutant) => [mutant.source, mutant])).values()];
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Node types whose mutants remove or negate a condition. */
export const CONDITIONS = ['IfStatement', 'ConditionalExpression', 'LogicalExpression'];

/** All nodes that are executed; types and imports are left out. */
function nodesIn(node: Node): Node[] {
  if (node.type.startsWith('TS') && !('expression' in node)) return [];
  if (node.type === 'ImportDeclaration') return [];
  const inner = Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]));
  return [node, ...inner.filter(isNode).flatMap(nodesIn)];
}

type Operators = Record<string, (node: never, source: string) => Change[]>;
type Test = Node & { test: Node | null };
type BinaryNode = Node & { operator: string; left: Node; right: Node };

const conditions = ({ test }: Test, source: string): Change[] => {
  if (!test) return [];
  const text = source.slice(test.start, test.end);
  return ['true', 'false', `!(${text})`].map((put) => ({ at: test, put }));
};

const OPERATORS: Operators = {
  IfStatement: conditions,
  ConditionalExpression: conditions,
  ForStatement: conditions,
  LogicalExpression: ({ left, right, ...whole }: BinaryNode, source) =>
    [left, right].map((side) => ({ at: whole, put: source.slice(side.start, side.end) })),
  BinaryExpression: ({ operator, left, right }: BinaryNode, source) =>
    (BOUNDARIES[operator] ?? []).map((put) => ({
      at: { start: left.end, end: right.start },
      put: source.slice(left.end, right.start).replace(operator, put),
    })),
  Literal: ({ value, ...at }: Node & { value: unknown }) =>
    typeof value === 'number' ? (value === 0 ? [1] : [value + 1, value - 1]).map((put) => ({ at, put: `${put}` })) : [],
  /** Removes a statement. */
  ExpressionStatement: (at: Node) => [{ at, put: ';' }],
  SwitchCase: (at: Node) => [{ at, put: '' }],
  ObjectExpression: ({ properties }: Node & { properties: Node[] }) => properties.map((at) => ({ at, put: '...{}' })),
  ArrayExpression: ({ elements }: Node & { elements: Node[] }) => elements.map((at) => ({ at, put: '...[]' })),
  MemberExpression: ({ object, property }: Node & { object: Node; property: Node }, source) => {
    const [of, name] = [object, property].map(({ start, end }) => source.slice(start, end));
    const opposite = of === 'Math' && name ? { max: 'min', min: 'max', ceil: 'floor', floor: 'ceil' }[name] : undefined;
    return opposite ? [{ at: property, put: opposite }] : [];
  },
};

const changesOf = (node: Node, source: string): Change[] => OPERATORS[node.type]?.(node as never, source) ?? [];
