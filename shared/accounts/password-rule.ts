/** What a password must be like. */
import { Problem } from '../core/problem.ts';

const LEAST = 12;
const MOST = 200;

export function checkPassword(password: string): void {
  const { length } = Array.from(password.normalize('NFKC'));
  if (length >= LEAST && length <= MOST && !/\p{Cc}/u.test(password)) return;
  throw new Problem('invalid', `A password has ${LEAST} to ${MOST} characters, none of them a control character.`);
}
