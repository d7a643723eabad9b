/** `errand doctor`: looks at the product from all sides and says what it finds. */
import type { Noun } from './verb.ts';

export const doctor: Noun = {
  '': {
    usage: '',
    about: 'opens the state and checks it; of a stage also its queues, dead letters, models and sender',
    args: [0, 0],
    run: ({ inspect }) => inspect(),
  },
};
