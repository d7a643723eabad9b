/** Decides on a request as IAM does within one account: an explicit deny wins, and a request without an allow is refused. */

export type PolicyStatement = {
  Effect: 'Allow' | 'Deny';
  Principal?: '*' | { AWS?: string | string[]; Service?: string | string[] };
  Action: string | string[];
  Resource?: string | string[];
  Condition?: Record<string, Record<string, string | string[]>>;
};

export type AccessRequest = {
  /** A service such as `sns.amazonaws.com`, or the ARN of a role. */
  principal: string;
  action: string;
  resource: string;
  /** Condition keys in lower case, such as `aws:sourcearn`. */
  context: Record<string, string>;
};

export type Policies = {
  /** The policy of the resource, which names principals. */
  resource: readonly PolicyStatement[];
  /** The policies of the calling role. */
  identity: readonly PolicyStatement[];
};

export function isAllowed(request: AccessRequest, { resource, identity }: Policies): boolean {
  const applying = [
    ...resource.filter((statement) => matchesPrincipal(statement, request) && matches(statement, request)),
    ...identity.filter((statement) => matches(statement, request)),
  ];
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}

function matchesPrincipal({ Principal }: PolicyStatement, { principal }: AccessRequest): boolean {
  if (Principal === '*') return true;
  const isService = principal.endsWith('.amazonaws.com');
  // `{"AWS": "*"}` is everybody, services included, as `"*"` is.
  if ([Principal?.AWS].flat().includes('*')) return true;
  return [isService ? Principal?.Service : Principal?.AWS].flat().includes(principal);
}

const matches = ({ Action, Resource = '*', Condition = {} }: PolicyStatement, request: AccessRequest): boolean =>
  [Action].flat().some((pattern) => isLike(pattern.toLowerCase(), request.action.toLowerCase())) &&
  [Resource].flat().some((pattern) => isLike(pattern, request.resource)) &&
  Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, values]) => holds(operator, request.context[key.toLowerCase()], values)),
  );

const OPERATORS: Record<string, (value: string, wanted: string) => boolean> = {
  ArnEquals: (value, wanted) => isLike(wanted, value),
  ArnLike: (value, wanted) => isLike(wanted, value),
  Bool: (value, wanted) => value === wanted,
  StringEquals: (value, wanted) => value === wanted,
  StringLike: (value, wanted) => isLike(wanted, value),
};

/** A key that the request does not have fails the condition, unless the operator ends with `IfExists`. */
function holds(operator: string, value: string | undefined, wanted: string | string[]): boolean {
  const compare = OPERATORS[operator.replace(/IfExists$/, '')];
  if (!compare) throw new Error(`The condition operator ${operator} is not known here.`);
  if (value === undefined) return operator.endsWith('IfExists');
  return [wanted].flat().some((each) => compare(value, each));
}

/** `*` matches any characters, `?` one. */
function isLike(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}
