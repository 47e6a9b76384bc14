// Behind a proxy: whose link it is, before a browser is signed in by it.

const token = location.hash.slice(1);
// The address bar and the browser's history shall not keep it.
history.replaceState(null, "", "/open");

async function post(path) {
    try {
        return await fetch(path, { method: "POST", headers: { "X-Locationd": "1", "X-Locationd-Link": token } });
    } catch {
        return undefined;
    }
}

const reply = await post("/link");
if (reply?.ok) {
    const link = await reply.json();
    for (const name of document.querySelectorAll(".user")) name.textContent = link.user ?? `uid ${link.uid}`;
    // The second click of a double click at another page's place must not answer.
    if (document.visibilityState !== "visible") {
        await new Promise((shown) => document.addEventListener("visibilitychange", shown, { once: true }));
    }
    await new Promise((passed) => setTimeout(passed, 1000));
    for (const button of document.querySelectorAll("button")) {
        button.disabled = false;
        button.addEventListener("click", async () => location.replace((await post("/open"))?.ok ? "/" : "/signed-out.html"));
    }
} else {
    location.replace("/signed-out.html");
}
