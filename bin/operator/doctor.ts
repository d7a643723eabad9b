/** `errand doctor`: checks the product and reports what it finds. */

import type { Noun } from './command.ts';

export const doctor: Noun = {
  '': {
    usage: '[--before]',
    about:
      'opens the state and checks it; of a stage also its queues, dead letters, models and sender. ' +
      '--before: the AWS account, before its first deployment',
    args: [0, 0],
    options: ['before'],
    withoutState: 'before',
    run: ({ inspect }) => inspect(),
  },
};
