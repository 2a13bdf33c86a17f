// Several tabs of one work: what is changed in one of them is shown in the others.

let channel = null; // opened with the first work

function open() {
  channel ||= new BroadcastChannel("maxmargin works");
  return channel;
}

export const tellTabs = (work) => open().postMessage(work);

// Call a function when another tab has changed a work, or when this one is shown again;
// returns a function that ends this.
export function followTabs(idOf, refresh) {
  const told = ({ data }) => data === idOf() && refresh();
  const seen = () => !document.hidden && idOf() && refresh();
  open().addEventListener("message", told);
  document.addEventListener("visibilitychange", seen);
  return () => {
    open().removeEventListener("message", told);
    document.removeEventListener("visibilitychange", seen);
  };
}

// Whether two states of a work differ in their steps.
export function isOther(one, two) {
  const key = ({ position, steps }) => JSON.stringify([position, steps]);
  return key(one) !== key(two);
}
