/** What breaks a caller between two contracts, one line each. Additions and other descriptions break nothing. */
import type { Any } from '../support/any.ts';

/** `request`: what a client sends, which may not be narrowed. `response`: what the server sends, which may not lose anything. */
type Direction = 'request' | 'response';
type Pair = { before: Any; after: Any };
type Compared = { documents: Pair; direction: Direction; open: ReadonlySet<string> };
type Breaks = string[];

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export const contractBreaks = (before: Any, after: Any): Breaks =>
  'asyncapi' in before ? asyncapiBreaks({ before, after }) : openapiBreaks({ before, after });

function openapiBreaks(documents: Pair): Breaks {
  const { before, after } = documents;
  return [
    ...eachOf(before.paths, (path, item) => pathBreaks(path, { before: item, after: after.paths?.[path] }, documents)),
    ...eachOf(before.webhooks, (name, item) =>
      // The server sends the body of a webhook, and the receiver answers.
      pathBreaks(`webhook ${name}`, { before: item, after: after.webhooks?.[name] }, documents, 'response'),
    ),
    ...eachOf(before.components?.securitySchemes, (name, scheme) =>
      isSame(withoutWords(scheme), withoutWords(after.components?.securitySchemes?.[name]))
        ? []
        : [`security scheme ${name}: is changed or removed`],
    ),
  ];
}

function pathBreaks(path: string, { before, after }: Pair, documents: Pair, body: Direction = 'request'): Breaks {
  if (after === undefined) return [`${path}: the path is removed`];
  return METHODS.filter((method) => before[method]).flatMap((method) => {
    const at = `${method.toUpperCase()} ${path}`;
    if (!after[method]) return [`${at}: the method is removed`];
    const withPath = (item: Any) => ({ ...item[method], parameters: parametersOf(item, method) });
    return operationBreaks(at, { before: withPath(before), after: withPath(after) }, documents, body);
  });
}

const parametersOf = (item: Any, method: string): Any[] => [
  ...(item.parameters ?? []),
  ...(item[method].parameters ?? []),
];

function operationBreaks(at: string, { before, after }: Pair, documents: Pair, body: Direction): Breaks {
  const sends: Compared = { documents, direction: body, open: new Set() };
  const gets: Compared = { documents, direction: body === 'request' ? 'response' : 'request', open: new Set() };
  const securityOf = (operation: Any, document: Any): Any[] => operation.security ?? document.security ?? [{}];
  const allowed = securityOf(after, documents.after);
  return [
    ...securityOf(before, documents.before)
      .filter((one) => !allowed.some((other) => isSame(one, other)))
      .map((one) => `${at}: credentials ${Object.keys(one).join(' and ') || 'none'} are not accepted any more`),
    ...parameterBreaks(at, { before: before.parameters, after: after.parameters }, sends),
    ...requestBodyBreaks(at, { before: before.requestBody, after: after.requestBody }, sends),
    ...eachOf(before.responses, (status, response) =>
      responseBreaks(`${at} ${status}`, { before: response, after: after.responses?.[status] }, gets),
    ),
  ];
}

function parameterBreaks(at: string, { before, after }: Pair, c: Compared): Breaks {
  const named = (list: Any[], document: Any): Map<string, Any> =>
    new Map(list.map((one) => resolveRef(one, document)).map((one) => [`${one.in} ${one.name}`.toLowerCase(), one]));
  const [old, now] = [named(before, c.documents.before), named(after, c.documents.after)];
  return [
    ...[...old].flatMap(([name, one]) => {
      const other = now.get(name);
      if (!other) return [`${at}: the parameter ${name} is removed`];
      const isNewlyRequired = other.required && !one.required;
      return [
        ...(isNewlyRequired && c.direction === 'request' ? [`${at}: the parameter ${name} is required now`] : []),
        ...schemaBreaks(`${at} ${name}`, { before: one.schema ?? {}, after: other.schema ?? {} }, c),
      ];
    }),
    ...[...now]
      .filter(([name, one]) => one.required && !old.has(name) && c.direction === 'request')
      .map(([name]) => `${at}: the new parameter ${name} is required`),
  ];
}

function requestBodyBreaks(at: string, given: Pair, c: Compared): Breaks {
  const [before, after] = [resolveRef(given.before, c.documents.before), resolveRef(given.after, c.documents.after)];
  if (!before) return after?.required && c.direction === 'request' ? [`${at}: a body is required now`] : [];
  if (!after) return [`${at}: the body is removed`];
  const isNewlyRequired = after.required && !before.required && c.direction === 'request';
  return [
    ...(isNewlyRequired ? [`${at}: the body is required now`] : []),
    ...contentBreaks(`${at} body`, { before, after }, c),
  ];
}

function responseBreaks(at: string, given: Pair, c: Compared): Breaks {
  if (given.after === undefined) return [`${at}: the status is removed`];
  const [before, after] = [resolveRef(given.before, c.documents.before), resolveRef(given.after, c.documents.after)];
  const headers = new Map(Object.entries<Any>(after.headers ?? {}).map(([name, one]) => [name.toLowerCase(), one]));
  return [
    ...eachOf(before.headers, (name, header) => {
      const [old, now] = [resolveRef(header, c.documents.before), headers.get(name.toLowerCase())];
      if (now === undefined) return [`${at}: the header ${name} is removed`];
      const { required, schema } = resolveRef(now, c.documents.after);
      return [
        ...(old.required && !required ? [`${at}: the header ${name} is not always there any more`] : []),
        ...schemaBreaks(`${at} header ${name}`, { before: old.schema ?? {}, after: schema ?? {} }, c),
      ];
    }),
    ...contentBreaks(at, { before, after }, c),
  ];
}

const contentBreaks = (at: string, { before, after }: Pair, c: Compared): Breaks =>
  eachOf(before.content, (type, { schema = {} }) => {
    const other = after.content?.[type];
    if (!other) return [`${at}: the media type ${type} is removed`];
    return schemaBreaks(at, { before: schema, after: other.schema ?? {} }, c);
  });

function asyncapiBreaks(documents: Pair): Breaks {
  const { before, after } = documents;
  return [
    ...eachOf(before.channels, (name, channel) => {
      const other = after.channels?.[name];
      if (!other) return [`channel ${name}: is removed`];
      return channel.address === other.address ? [] : [`channel ${name}: the address is ${other.address} now`];
    }),
    ...eachOf(before.operations, (name, operation) => {
      const other = after.operations?.[name];
      if (!other || other.action !== operation.action) return [`operation ${name}: is changed or removed`];
      const direction = operation.action === 'receive' ? 'request' : 'response';
      return messageBreaks(name, { before: operation, after: other }, { documents, direction, open: new Set() });
    }),
  ];
}

function messageBreaks(operation: string, { before, after }: Pair, c: Compared): Breaks {
  const named = (one: Any, document: Any): [string, Any][] =>
    one.messages.map((message: Any) => [message.$ref.split('/').at(-1), resolveRef(message, document)]);
  const now = new Map(named(after, c.documents.after));
  return named(before, c.documents.before).flatMap(([name, message]) => {
    const at = `${operation} ${name}`;
    const other = now.get(name);
    if (!other) return [`${at}: the message is removed`];
    return schemaBreaks(at, { before: message.payload, after: other.payload }, c);
  });
}

/** By documents, the named schemas that were compared already and break nothing: most are in many operations. */
const unbroken = new WeakMap<Pair, Set<string>>();

function schemaBreaks(at: string, pair: Pair, c: Compared): Breaks {
  if (!pair.before?.$ref || !pair.after?.$ref) return breaksOfSchemas(at, pair, c);
  const compared = unbroken.get(c.documents) ?? new Set();
  unbroken.set(c.documents, compared);
  const name = `${c.direction} ${pair.before.$ref} ${pair.after.$ref}`;
  if (compared.has(name)) return [];
  const breaks = breaksOfSchemas(at, pair, c);
  // What a schema within itself breaks is found by the comparison that is still open.
  if (breaks.length === 0 && c.open.size === 0) compared.add(name);
  return breaks;
}

function breaksOfSchemas(at: string, pair: Pair, c: Compared): Breaks {
  const refs = `${pair.before?.$ref} ${pair.after?.$ref}`;
  if ((pair.before?.$ref || pair.after?.$ref) && c.open.has(refs)) return [];
  const inner: Compared = { ...c, open: new Set([...c.open, refs]) };
  const { documents } = c;
  const [before, after] = [whole(pair.before, documents.before), whole(pair.after, documents.after)];
  const [old, now] = [typesOf(before, documents.before), typesOf(after, documents.after)];
  if (!fits(old, now, c.direction)) return [`${at}: the type was ${textOf(old)} and is ${textOf(now)}`];
  return [
    ...valueBreaks(at, { before, after }, c.direction),
    ...(c.direction === 'request' ? boundBreaks(at, { before, after }) : []),
    ...fieldBreaks(at, { before, after }, inner),
    ...innerBreaks(at, { before, after }, inner),
    ...variantBreaks(at, { before, after }, inner),
  ];
}

/** A caller may send what it sent before, and meets no type that it has not met before. */
const fits = (old: Set<string>, now: Set<string>, direction: Direction): boolean =>
  direction === 'request' ? isWithin(old, now) : isWithin(now, old);

const isWithin = (part: Set<string>, all: Set<string>): boolean =>
  all.has('any') || [...part].every((type) => all.has(type) || (type === 'integer' && all.has('number')));

function valueBreaks(at: string, { before, after }: Pair, direction: Direction): Breaks {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const gone = now && old?.filter((value) => !now.includes(value));
  const lost = (gone ?? []).map((value) => `${at}: the value ${value} is removed`);
  if (direction === 'request') {
    if (now && !old) lost.push(`${at}: only ${now.join(', ')} are accepted now`);
  } else if (old && !now) lost.push(`${at}: the values ${old.join(', ')} are not promised any more`);
  return lost;
}

const valuesOf = (schema: Any): string[] | undefined =>
  ('const' in schema ? [schema.const] : schema.enum)?.map((value: Any) => JSON.stringify(value));

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

function boundBreaks(at: string, { before, after }: Pair): Breaks {
  const tighter = (names: string[], isTighter: (old: number, now: number) => boolean) =>
    names
      .filter((name) => after[name] !== undefined)
      .filter((name) => before[name] === undefined || isTighter(before[name], after[name]))
      .map((name) => `${at}: ${name} was ${before[name] ?? 'not set'} and is ${after[name]}`);
  const changed = ['pattern', 'multipleOf', 'uniqueItems']
    .filter((name) => after[name] && after[name] !== before[name])
    .map((name) => `${at}: ${name} was ${before[name] ?? 'not set'} and is ${after[name]}`);
  return [
    ...tighter(UPPER, (old, now) => now < old),
    ...tighter(
      LOWER.filter((name) => before[name] !== undefined || after[name] > 0),
      (old, now) => now > old,
    ),
    ...changed,
  ];
}

function fieldBreaks(at: string, { before, after }: Pair, c: Compared): Breaks {
  const [old, now] = [new Set<string>(before.required), new Set<string>(after.required)];
  const required =
    c.direction === 'request'
      ? [...now].filter((name) => !old.has(name)).map((name) => `${at}.${name}: the field is required now`)
      : [...old]
          .filter((name) => !now.has(name) && after.properties?.[name])
          .map((name) => `${at}.${name}: the field is not always there any more`);
  return [
    ...required,
    ...eachOf(before.properties, (name, schema) => {
      const other = after.properties?.[name];
      if (other === undefined) return [`${at}.${name}: the field is removed`];
      return schemaBreaks(`${at}.${name}`, { before: schema, after: other }, c);
    }),
  ];
}

function innerBreaks(at: string, { before, after }: Pair, c: Compared): Breaks {
  const [old, now] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
  const isClosed = now === false && old !== false && c.direction === 'request';
  const format = before.format === after.format || (c.direction === 'request' && after.format === undefined);
  return [
    ...(isClosed ? [`${at}: other fields are refused now`] : []),
    ...(format ? [] : [`${at}: the format was ${before.format ?? 'not set'} and is ${after.format ?? 'not set'}`]),
    ...(typeof old === 'object' || (typeof now === 'object' && c.direction === 'request')
      ? schemaBreaks(`${at}.*`, { before: asSchema(old), after: asSchema(now) }, c)
      : []),
    ...['items', 'propertyNames'].flatMap((name) =>
      before[name] || after[name]
        ? schemaBreaks(`${at}${name === 'items' ? '[]' : ' names'}`, pairOf(before[name], after[name]), c)
        : [],
    ),
  ];
}

const pairOf = (before: Any = {}, after: Any = {}): Pair => ({ before, after });
const asSchema = (value: Any): Any => (typeof value === 'object' ? value : {});

/** Each variant must still exist. One without a namesake is compared with the nearest variant. */
function variantBreaks(at: string, { before, after }: Pair, c: Compared): Breaks {
  const old = variantsOf(before);
  if (!old) return [];
  const now = variantsOf(after) ?? [after];
  return old.flatMap((variant, index) => {
    const name = `${at} (${variant.$ref?.split('/').at(-1) ?? variant.title ?? index + 1})`;
    const namesakes = now.filter(({ $ref }) => $ref !== undefined && $ref === variant.$ref);
    const candidates = namesakes.length > 0 ? namesakes : now;
    const found = candidates.map((other) => schemaBreaks(name, { before: variant, after: other }, c));
    return found.reduce((least, breaks) => (breaks.length < least.length ? breaks : least));
  });
}

const variantsOf = (schema: Any): Any[] | undefined => schema.anyOf ?? schema.oneOf;

/** The schema behind a reference, with the parts of `allOf` in it. */
function whole(schema: Any, document: Any): Any {
  const { allOf, ...own } = resolveRef(schema, document) ?? {};
  if (!allOf) return own;
  const parts: Any[] = [...allOf.map((part: Any) => whole(part, document)), own];
  const required = parts.flatMap((part) => part.required ?? []);
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return Object.assign({}, ...parts, { required }, Object.keys(properties).length > 0 ? { properties } : {});
}

function resolveRef(value: Any, document: Any): Any {
  if (typeof value?.$ref !== 'string') return value;
  const found = value.$ref
    .slice(2)
    .split('/')
    .reduce((at: Any, part: string) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  if (found === undefined) throw new Error(`${value.$ref} leads nowhere.`);
  const { $ref, ...beside } = value;
  return { ...resolveRef(found, document), ...beside };
}

function typesOf(schema: Any, document: Any): Set<string> {
  if (schema.type !== undefined) return new Set([schema.type].flat());
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (values) return new Set(values.map((value: Any) => (value === null ? 'null' : typeof value)));
  const variants = variantsOf(schema);
  if (!variants) return new Set([schema.properties ? 'object' : 'any']);
  return new Set(variants.flatMap((one) => [...typesOf(whole(one, document), document)]));
}

const textOf = (types: Set<string>): string => [...types].sort().join(' or ');

const eachOf = (entries: Any, breaks: (name: string, value: Any) => Breaks): Breaks =>
  Object.entries<Any>(entries ?? {}).flatMap(([name, value]) => breaks(name, value));

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const withoutWords = ({ description: _, ...rest }: Any = {}): Any => rest;
