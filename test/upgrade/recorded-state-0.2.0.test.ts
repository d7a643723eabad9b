import { describeRecordedState } from './recorded-state.scenarios.ts';

describeRecordedState('0.2.0');
