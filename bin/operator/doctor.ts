/** `errand doctor`: opens the state as the product does and says what it finds. */
import type { Noun } from './verb.ts';

export const doctor: Noun = {
  '': {
    usage: '',
    about: 'opens the state and checks it',
    args: [0, 0],
    run: async ({ inspect }) => ({ report: await inspect() }),
  },
};
