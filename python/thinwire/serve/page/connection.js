// The connection to the server: messages as JSON, tried again where it breaks.

// on(message) for each message, onState(open) when it opens and closes.
export function connect(on, onState) {
  let socket = null, wait = 250;

  function start() {
    socket = new WebSocket(new URL("live", location.href.replace(/^http/, "ws")));
    socket.onopen = () => {
      wait = 250;
      onState(true);
    };
    socket.onmessage = (event) => on(JSON.parse(event.data));
    socket.onclose = () => {
      onState(false);
      setTimeout(start, wait);
      wait = Math.min(4000, 2 * wait);
    };
  }
  start();
  return (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
}
