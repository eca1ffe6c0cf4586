// A live run with its page: the server of 'trammel view', on threads of this process.
#include <pthread.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include "bindings.h"
#include "live/journal.h"
#include "server/live_server.h"
#include "words.h"

namespace trammel::python {
namespace {

// Signals are for Python's main thread: threads that start while this lives do not take them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

class View {
 public:
  View(live::LiveSource source, const server::ServerOptions& options) {
    const SignalsBlocked blocked;
    server_ = std::make_unique<server::LiveServer>(std::move(source), options);
    thread_ = std::thread([server = server_.get()] { server->run(); });
  }
  ~View() { close(); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  bool is_open() const { return server_ != nullptr; }
  std::string url() const { return server_ ? server_->url() : ""; }

  // One command of docs/live-protocol.md, and its reply. With Python's lock but for the wait, so that a
  // close() at the same time finds the command in the queue or not at all.
  std::string ask(const std::string& command) {
    auto promise = std::make_shared<std::promise<std::string>>();
    std::future<std::string> reply = promise->get_future();
    if (!server_) raise("Error", "the view is closed; open another one");
    if (!server_->session().post(live::Json::parse(command),
                                 [promise](const live::Json& json) { promise->set_value(json.dump()); }))
      raise("Error", "too many commands wait for the view; try again later");
    promise.reset();
    try {
      const py::gil_scoped_release released;
      return reply.get();
    } catch (const std::future_error&) {
      raise("Error", "the view was closed before it answered");
    }
  }

  void close() {
    if (!server_) return;
    if (getpid() != owner_) {
      // A child by fork() has the memory of the server, but not its threads: there is nothing to end.
      thread_.detach();
      static_cast<void>(server_.release());
      return;
    }
    const std::unique_ptr<server::LiveServer> server = std::move(server_);
    const py::gil_scoped_release released;
    server->stop();
    thread_.join();
    server->session().stop();
  }

 private:
  pid_t owner_ = getpid();
  std::unique_ptr<server::LiveServer> server_;
  std::thread thread_;
};

std::shared_ptr<View> opened(const std::string& text, const std::string& path,
                             const std::vector<std::string>& settings, int port, const std::string& journal) {
  server::ServerOptions options;
  options.port = static_cast<unsigned short>(port);
  options.journal = journal;
  try {
    const py::gil_scoped_release released;
    return std::make_shared<View>(live::LiveSource{path, text, settings}, options);
  } catch (const std::runtime_error& error) {
    raise("Error", in_python(error.what()));
  }
}

// Whether a journal gives the same bits, what it was, and the model as it was left with the reason why there
// is none.
py::tuple replayed(const std::string& journal) {
  live::Replay found;
  {
    const py::gil_scoped_release released;
    Signals signals;
    found = live::replay(journal, [&] { signals.look(); });
  }
  return py::make_tuple(found.identical, found.difference, found.cut, found.steps, found.edits, found.t,
                        found.yaml, found.unsaid);
}

}  // namespace

void bind_live(py::module_& module) {
  py::class_<View, std::shared_ptr<View>>(module, "View")
      .def_property_readonly("is_open", &View::is_open)
      .def_property_readonly("url", &View::url)
      .def("ask", &View::ask, py::arg("command"))
      .def("close", &View::close);
  module.def("replay", replayed);
  module.def("view", opened, py::arg("text"), py::arg("path"), py::arg("settings"), py::arg("port"),
             py::arg("journal"));
}

}  // namespace trammel::python
