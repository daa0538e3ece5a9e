// The signals are handled before anything else is loaded: the first process of a container ignores those that are not.
import { handleStopSignals } from './stop-signals.ts';

const stop = handleStopSignals();
void import('./run-server.ts').then(({ runServer }) => runServer(stop));
