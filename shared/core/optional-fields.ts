/** The fields that have a value: with `exactOptionalPropertyTypes` an optional field is absent, never undefined. */

type DefinedFields<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function definedFields<T extends Record<string, unknown>>(fields: T): DefinedFields<T> {
  const defined: Record<string, unknown> = {};
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name];
  return defined as DefinedFields<T>;
}
