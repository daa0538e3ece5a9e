import type { PublishingActions } from '@berth/ui/publishing';
import type { Shell } from '../../state/shell.ts';

/** Sends what the user does with the card of a drop to the app. */
export function createPublishingActions({ commands, ask, watch, navigate }: Shell): PublishingActions {
  return {
    answer: (id, instead) => ask(commands.answerPublishing({ id, instead })),
    update: (id, update) => ask(commands.updatePublishing({ id, update })),
    build: (id) => ask(commands.buildPublishing({ id })),
    cancel: (id) => void ask(commands.cancelPublishing({ id })),
    retry: (id) => void ask(commands.retryPublishing({ id })),
    dismiss: (id) => void ask(commands.dismissPublishing({ id })),
    claim: (id) => ask(commands.claimPublishing({ id })),
    keep(id) {
      void ask(commands.keepPublishing({ id }));
      navigate({ page: 'settings' });
    },
    pause: null,
    resume: ({ id }) => void ask(commands.retryPublishing({ id })),
    watch: ({ id, name, state }) =>
      watch([{ name, of: { publishing: id }, hasPassword: state.is === 'published' && state.published.password }]),
  };
}
