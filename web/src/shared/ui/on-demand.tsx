/**
 * A dialog or a sheet whose code is loaded when it is first wanted. Where it cannot be had, over a network
 * that fails or after another version of the app was put in its place, that is told, the dialog counts as
 * closed, and the page stays as it is.
 *
 *     const PayoutDialog = onDemand(() => import('./PayoutDialog.js'));
 */
import { useEffect, useEffectEvent, useState, type ComponentType } from 'react';
import { unlessLeaving } from '../navigation/leaving.js';
import { useToast } from './toasts.js';

const SENTENCE = 'This could not be opened. Check your connection and try again, or load this page again.';

interface ClosableProps {
  /** Where it stays mounted once it was used. */
  readonly open?: boolean;
  readonly onClose: () => void;
}

export function onDemand<P extends ClosableProps>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): ComponentType<P> {
  let kept: ComponentType<P> | undefined;
  const get = async () => (kept ??= (await load().catch(unlessLeaving)).default);
  return function OnDemand(props: P) {
    const toast = useToast();
    const [Loaded, setLoaded] = useState(() => kept);
    const isWanted = props.open !== false && Loaded === undefined;
    const fail = useEffectEvent(() => {
      toast.error('Navigation Error', SENTENCE);
      props.onClose();
    });
    useEffect(() => {
      if (!isWanted) return undefined;
      let isStillWanted = true;
      get().then(
        (part) => isStillWanted && setLoaded(() => part),
        () => isStillWanted && fail(),
      );
      return () => {
        isStillWanted = false;
      };
    }, [isWanted]);
    return Loaded && <Loaded {...props} />;
  };
}
