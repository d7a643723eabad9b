/** Resolves CloudFormation's intrinsic functions against the created resources. */
import { ACCOUNT, type Look, REGION } from './template.ts';

type Intrinsic = (argument: unknown, look: Look) => Promise<unknown>;

const PSEUDO: Record<string, string | undefined> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::NoValue': undefined,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::URLSuffix': 'amazonaws.com',
};

const INTRINSICS: Record<string, Intrinsic> = {
  Ref: (name, look) => reference(String(name), look),
  'Fn::GetAtt': (place, look) => attribute(Array.isArray(place) ? place.join('.') : String(place), look),
  'Fn::Join': async (argument, look) => {
    const [glue, parts] = (await resolve(argument, look)) as [string, string[]];
    return parts.join(glue);
  },
  'Fn::Select': async (argument, look) => {
    const [at, values] = (await resolve(argument, look)) as [string | number, unknown[]];
    return values[Number(at)];
  },
  'Fn::Split': async (argument, look) => {
    const [glue, text] = (await resolve(argument, look)) as [string, string];
    return text.split(glue);
  },
  'Fn::Sub': substitute,
};

/** `AWS::NoValue` removes its property, as in CloudFormation. */
export async function resolve(value: unknown, look: Look): Promise<unknown> {
  if (Array.isArray(value)) {
    const resolved = await Promise.all(value.map((entry) => resolve(entry, look)));
    return resolved.filter((entry) => entry !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name = '', argument] = entries[0] ?? [];
  const intrinsic = entries.length === 1 ? INTRINSICS[name] : undefined;
  if (intrinsic) return intrinsic(argument, look);
  if (name.startsWith('Fn::')) throw new Error(`The rehearsal does not understand ${name}.`);
  const resolved = await Promise.all(entries.map(async ([key, part]) => [key, await resolve(part, look)] as const));
  return Object.fromEntries(resolved.filter(([, part]) => part !== undefined));
}

const reference = async (name: string, look: Look): Promise<string | undefined> =>
  name in PSEUDO ? PSEUDO[name] : (await look(name)).ref;

async function attribute(place: string, look: Look): Promise<string> {
  const dot = place.indexOf('.');
  return (await look(place.slice(0, dot))).attribute(place.slice(dot + 1));
}

/** `${Name}`, `${Name.Attribute}`, variables of the `Fn::Sub` itself, and `${!literal}`. */
async function substitute(argument: unknown, look: Look): Promise<string> {
  const [text, own = {}] = Array.isArray(argument) ? (argument as [string, object?]) : [String(argument)];
  const values = (await resolve(own, look)) as Record<string, string>;
  let done = '';
  for (const [at, part] of text.split(/\$\{([^}]+)\}/).entries()) {
    if (at % 2 === 0) done += part;
    else if (part.startsWith('!')) done += `\${${part.slice(1)}}`;
    else done += values[part] ?? (await (part.includes('.') ? attribute : reference)(part, look));
  }
  return done;
}
