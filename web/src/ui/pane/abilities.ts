/** What a session's agent can do beyond answering. */
import type { AttachmentAbilities } from '../../gen/contracts';
import type { OpenSession } from '../../state/session';

/** Whether it can go on from here in a session of its own. */
export function canFork(session: OpenSession): boolean {
  return session.view()?.agent.abilities.fork ?? false;
}

/** Whether it takes a message into a turn that runs. */
export function canSteer(session: OpenSession): boolean {
  return session.view()?.agent.abilities.steer ?? false;
}

/** What it takes beside words. */
export function filesTaken(session: OpenSession): AttachmentAbilities | undefined {
  return session.view()?.agent.abilities.attachments;
}
